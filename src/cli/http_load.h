// Load on an HTTP server: many POST requests, closed loop or open, and how long each took.
//
// Closed loop: `concurrency` callers, each sending its next request when its last is answered.
// Open loop: requests arrive at random (Poisson) at `rate` a second whether or not earlier ones
// have been answered, and each is timed from its arrival, not from when a connection was free:
// a server that stalls cannot slow the clock down (coordinated omission). One thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hymt::cli {

struct LoadPlan {
  std::string url;
  std::vector<std::string> bodies;  // sent in turn, over and over; JSON
  int concurrency = 8;              // closed loop
  double rate = 0;                  // arrivals a second; above 0: open loop
  double seconds = 10;              // arrivals end after this; what is under way is waited for
  int64_t max_requests = 0;         // 0: no limit but the time
  uint64_t seed = 1;
  bool computed_now = false;  // asks for answers that are not remembered (Cache-Control: no-cache)
};

struct LoadSample {
  size_t body = 0;        // index into bodies
  int status = 0;         // HTTP; 0: the connection failed
  double started = 0;     // seconds since the run began: arrival
  double first_byte = 0;  // of the reply's body
  double ended = 0;
  std::string reply;    // body
  std::string failure;  // of the connection
};

// Runs the plan and tells `done` each sample as it ends. Fails if the URL makes no sense.
Result<void> run_load(const LoadPlan& plan, const std::function<void(LoadSample&&)>& done);

}  // namespace hymt::cli
