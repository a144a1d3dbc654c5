// What a request's listener heard, and a clock that a test sets.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "engine/request.h"

namespace hymt::test {

class FakeClock final : public Clock {
 public:
  Time now() const override { return time; }
  Time time{};
};

class Recorder final : public engine::Listener {
 public:
  void on_token(engine::Token token, const engine::TokenLogprobs*) override {
    EXPECT_EQ(n_ends, 0);
    tokens.push_back(token);
  }
  std::optional<Time> on_deadline(Time deadline) override {
    return when_deadline ? when_deadline(deadline) : deadline;
  }
  void on_finish(const engine::Finish& f) override { finish = f, ++n_ends; }
  void on_error(const Error& e) override { error = e, ++n_ends; }

  std::vector<engine::Token> tokens;
  std::optional<engine::Finish> finish;
  std::optional<Error> error;
  int n_ends = 0;
  std::function<std::optional<Time>(Time)> when_deadline;
};

}  // namespace hymt::test
