// How often something happens, lately. One thread at a time.
#pragma once

#include <algorithm>
#include <cmath>

#include "base/clock.h"

namespace hymt::engine {

// Events a second over about the last ten seconds: an event's weight falls by 1/e in that time.
class RateMeter {
 public:
  explicit RateMeter(Time start) : start_(start), last_(start) {}

  void add(int n, Time now) {
    events_ = events_ * std::exp(-seconds(now - last_) / kWindow) + n;
    last_ = now;
  }

  // 0 before the first event.
  double per_second(Time now) const {
    const double events = events_ * std::exp(-seconds(now - last_) / kWindow);
    const double window = kWindow * (1 - std::exp(-seconds(now - start_) / kWindow));
    return events == 0 ? 0 : events / std::max(window, kShortest);
  }

 private:
  static constexpr double kWindow = 10;      // seconds
  static constexpr double kShortest = 1e-3;  // the first events tell little
  static double seconds(Duration duration) {
    return std::chrono::duration<double>(duration).count();
  }

  Time start_, last_;
  double events_ = 0;  // weighed, at last_
};

}  // namespace hymt::engine
