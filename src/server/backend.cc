#include "server/backend.h"

#include <utility>

namespace hymt::server {

void Backend::set(std::shared_ptr<translate::Facade> facade) {
  const std::lock_guard<std::mutex> lock(mutex_);
  facade_.swap(facade);
}

Result<std::shared_ptr<translate::Facade>> Backend::current() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (!facade_) return fail(Code::unavailable, "the model is loading: try again in a few seconds");
  return facade_;
}

}  // namespace hymt::server
