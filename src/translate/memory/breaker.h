// When to leave a peer alone that has failed: a circuit breaker. Policy only; it knows no peer.
#pragma once

#include <algorithm>
#include <chrono>

#include "base/clock.h"

namespace hymt::translate::memory {

// Closed, it lets everything through. After so many failures in a row it opens and lets nothing
// through for a time; then one attempt, whose outcome closes it again, or keeps it open for twice
// as long. One thread at a time.
class Breaker {
 public:
  struct Options {
    int failures = 5;  // in a row
    Duration first_pause = std::chrono::milliseconds(500);
    Duration longest_pause = std::chrono::seconds(30);
  };

  explicit Breaker(const Options& options) : options_(options) {}

  // True: go ahead, and tell how it ended.
  bool allow(Time now) {
    if (!open_) return true;
    if (trying_ || now < until_) return false;
    return trying_ = true;
  }

  void succeed() {
    failures_ = 0;
    open_ = trying_ = false;
  }

  void fail(Time now) {
    if (open_ && !trying_) return;  // sent before it opened
    if (!open_ && ++failures_ < options_.failures) return;
    pause_ = open_ ? std::min(2 * pause_, options_.longest_pause) : options_.first_pause;
    until_ = now + pause_;
    open_ = true;
    trying_ = false;
  }

  bool open() const { return open_; }

 private:
  const Options options_;
  int failures_ = 0;
  bool open_ = false;
  bool trying_ = false;
  Duration pause_{};
  Time until_{};
};

}  // namespace hymt::translate::memory
