// Notices an answer that has begun to repeat itself without end.
//
// An answer loops when its tail is one cycle of at most kMaxPeriod tokens over and over: at least
// kMinRepeats times, at least kMinTokens tokens, and at least twice as long as the longest
// repetition of the prompt itself (a source may say "ha ha ha ha" and mean it). One thread.
#pragma once

#include <array>
#include <span>

#include "model/batch.h"

namespace hymt::engine {

class LoopGuard {
 public:
  static constexpr int kMaxPeriod = 32;
  static constexpr int kMinRepeats = 6;
  static constexpr int kMinTokens = 48;

  explicit LoopGuard(std::span<const model::Token> prompt);

  // `answer` ends with its newest token, and is one longer than at the last call.
  bool loops(std::span<const model::Token> answer);

 private:
  std::array<int, kMaxPeriod + 1> run_{};  // how many of the last tokens equal the one p before
  int allowed_ = 0;
};

}  // namespace hymt::engine
