// The model in service, as far as there is one: what handlers ask before anything else.
#pragma once

#include <memory>
#include <mutex>

#include "base/result.h"
#include "translate/facade.h"

namespace hymt::server {

// Thread-safe.
class Backend {
 public:
  // Begins in service; the one before is released when its last request ends.
  void set(std::shared_ptr<translate::Facade> facade);

  // unavailable: still loading.
  Result<std::shared_ptr<translate::Facade>> current() const;

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<translate::Facade> facade_;
};

}  // namespace hymt::server
