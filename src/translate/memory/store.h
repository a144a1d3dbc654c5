// Where replicas share what they remember: names and bytes, as a peer that may be slow, full or
// gone.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "base/clock.h"

namespace hymt::translate::memory {

// Any thread; nothing waits.
class Store {
 public:
  virtual ~Store() = default;

  struct Value {
    std::string bytes;
    Duration left = Duration::max();  // until the store forgets it
  };
  using Found = std::function<void(std::optional<Value> value)>;
  // Asks for the bytes under `name`. True: `found` is called once, within the store's time limit,
  // on the store's thread or in its destructor; nullopt: none, or none in time. False: the store is
  // not to be asked now, and `found` is not called.
  virtual bool get(const std::string& name, Found found) = 0;
  // Keeps the bytes under `name`, unless it is too busy to.
  virtual void put(std::string name, std::string value) = 0;
};

}  // namespace hymt::translate::memory
