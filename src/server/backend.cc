#include "server/backend.h"

#include <utility>

namespace hymt::server {

void Backend::set(std::shared_ptr<translate::Facade> facade) {
  const std::lock_guard<std::mutex> lock(mutex_);
  facade_.swap(facade);
}

void Backend::drain() {
  std::shared_ptr<translate::Facade> facade;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    draining_ = true;
    facade = facade_;
  }
  if (facade) facade->drain();
}

Result<std::shared_ptr<translate::Facade>> Backend::current() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (draining_) return fail(Code::unavailable, "the server is shutting down: try again later");
  if (!facade_) return fail(Code::unavailable, "the model is loading: try again in a few seconds");
  return facade_;
}

}  // namespace hymt::server
