// The engine requests of one translation that are still under way, and how to end them.
#pragma once

#include <mutex>
#include <vector>

#include "engine/engine.h"

namespace hymt::translate {

// Any thread. Its lock is a leaf: nothing is called under it, so requests can be cancelled from
// everywhere, also from within a listener or a sink. The engine is not touched for a request that
// has landed, so a Flight whose requests have all landed may outlive it.
class Flight {
 public:
  Flight(engine::Engine& engine, size_t n_requests) : engine_(engine), requests_(n_requests) {}

  // The engine may have called back, and asked for cancels, before its submit() returned the ids.
  void launched(const std::vector<engine::RequestId>& ids);
  void landed(size_t index);  // finished or failed
  void cancel(size_t index);
  void cancel_all();

 private:
  struct Request {
    engine::RequestId id = 0;
    bool launched = false;
    bool landed = false;
    bool unwanted = false;  // to be cancelled as soon as its id is known
  };

  engine::Engine& engine_;
  std::mutex mutex_;  // guards requests_
  std::vector<Request> requests_;
};

}  // namespace hymt::translate
