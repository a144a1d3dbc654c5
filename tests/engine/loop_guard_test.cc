#include "engine/loop_guard.h"

#include <gtest/gtest.h>

#include <vector>

namespace hymt::engine {
namespace {

using tokenizer::Token;

// How many tokens of `answer` pass before the guard speaks up; -1 if it never does.
int cut_at(const std::vector<Token>& prompt, const std::vector<Token>& answer) {
  LoopGuard guard(prompt);
  for (size_t n = 1; n <= answer.size(); ++n) {
    if (guard.loops(std::span<const Token>(answer).first(n))) return static_cast<int>(n);
  }
  return -1;
}

std::vector<Token> cycle(const std::vector<Token>& unit, int times) {
  std::vector<Token> out;
  for (int i = 0; i < times; ++i) out.insert(out.end(), unit.begin(), unit.end());
  return out;
}

TEST(LoopGuard, CutsAnEndlessRepetition) {
  EXPECT_EQ(cut_at({1, 2, 3}, cycle({7}, 1000)), LoopGuard::kMinTokens);
  EXPECT_EQ(cut_at({1, 2, 3}, cycle({7, 8, 9}, 1000)), LoopGuard::kMinTokens);
  std::vector<Token> sentence(20);
  for (int i = 0; i < 20; ++i) sentence[static_cast<size_t>(i)] = 100 + i;
  EXPECT_EQ(cut_at({1, 2, 3}, cycle(sentence, 1000)), 20 * LoopGuard::kMinRepeats);
}

TEST(LoopGuard, LetsShortRepetitionsPass) {
  EXPECT_EQ(cut_at({1}, cycle({7}, LoopGuard::kMinTokens - 1)), -1);
  std::vector<Token> text;
  for (int i = 0; i < 500; ++i) text.push_back(i * i % 101);
  EXPECT_EQ(cut_at({1}, text), -1);
}

TEST(LoopGuard, ASourceThatRepeatsItselfMayBeTranslated) {
  const std::vector<Token> laughing = cycle({5, 6}, 100);  // 200 tokens
  EXPECT_EQ(cut_at(laughing, cycle({9, 8}, 100)), -1);
  EXPECT_GT(cut_at(laughing, cycle({9, 8}, 1000)), 300);
}

}  // namespace
}  // namespace hymt::engine
