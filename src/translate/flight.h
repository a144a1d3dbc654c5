// What one translation has asked of the memory and is still under way, and how to end it.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

#include "translate/memory/memory.h"

namespace hymt::translate {

// Any thread. Its lock is a leaf: nothing is called under it, so requests can be cancelled from
// everywhere, also from within a listener or a sink, and after the memory is gone.
class Flight {
 public:
  Flight(const memory::Memory& memory, size_t n_requests)
      : leave_(memory.leaver()), requests_(n_requests) {}

  // The memory may have called back, and asked for cancels, before its submit() returned the ids.
  void launched(const std::vector<memory::Id>& ids);
  void landed(size_t index);  // finished or failed
  void cancel(size_t index);
  void cancel_all();

 private:
  struct Request {
    memory::Id id = 0;
    bool launched = false;
    bool landed = false;
    bool unwanted = false;  // to be cancelled as soon as its id is known
  };

  const std::function<void(memory::Id)> leave_;
  std::mutex mutex_;  // guards requests_
  std::vector<Request> requests_;
};

}  // namespace hymt::translate
