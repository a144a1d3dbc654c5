#include "engine/loop_guard.h"

#include <algorithm>

namespace hymt::engine {
namespace {

using Runs = std::array<int, LoopGuard::kMaxPeriod + 1>;

void count(std::span<const model::Token> tokens, Runs& runs) {
  const size_t last = tokens.size() - 1;
  for (size_t period = 1; period < runs.size(); ++period) {
    const bool repeats = period <= last && tokens[last] == tokens[last - period];
    runs[period] = repeats ? runs[period] + 1 : 0;
  }
}

}  // namespace

LoopGuard::LoopGuard(std::span<const model::Token> prompt) {
  Runs runs{};
  int longest = 0;
  for (size_t n = 1; n <= prompt.size(); ++n) {
    count(prompt.first(n), runs);
    longest = std::max(longest, *std::max_element(runs.begin(), runs.end()));
  }
  allowed_ = std::max(kMinTokens, 2 * longest);
}

bool LoopGuard::loops(std::span<const model::Token> answer) {
  count(answer, run_);
  for (int period = 1; period <= kMaxPeriod; ++period) {
    const int tokens = run_[static_cast<size_t>(period)] + period;
    if (tokens >= allowed_ && tokens >= kMinRepeats * period) return true;
  }
  return false;
}

}  // namespace hymt::engine
