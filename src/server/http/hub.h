// What all connections of a server share. Internal to http/.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <unordered_set>

#include "server/http/options.h"
#include "server/http/site.h"

namespace hymt::server::http {

class Connection;

// Thread-safe.
struct Hub {
  Hub(const Options& limits, const Site& served)
      : options(limits), site(served), workers(static_cast<size_t>(limits.workers)) {}

  const Options options;
  const Site& site;
  boost::asio::thread_pool workers;  // runs the handlers that take time

  std::atomic<bool> draining{false};  // connections end after the reply under way
  std::atomic<size_t> bodies{0};      // bytes of bodies in memory, as announced or received

  std::mutex mutex;  // guards `connections`
  std::condition_variable changed;
  std::unordered_set<Connection*> connections;
};

}  // namespace hymt::server::http
