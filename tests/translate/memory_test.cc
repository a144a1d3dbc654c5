// What is remembered, and for how long.
#include <gtest/gtest.h>

#include "translate/memory_bench.h"

namespace hymt::translate::memory {
namespace {

TEST(Memory, ARepeatedRequestIsNotComputedAgain) {
  Bench bench;
  const auto first = bench.submit({1, 2, 3});
  first.heard->wait();
  EXPECT_FALSE(first.heard->recalled());
  EXPECT_EQ(first.heard->tokens(), answer_to({1, 2, 3}));
  bench.gate.hold();
  const auto again = bench.submit({1, 2, 3});
  ASSERT_TRUE(again.heard->is_over()) << "told before submit() returned";
  EXPECT_TRUE(again.heard->recalled());
  EXPECT_EQ(again.heard->tokens(), first.heard->tokens());
  EXPECT_EQ(again.heard->reason(), first.heard->reason());
  EXPECT_EQ(again.heard->finish().prompt_tokens, 3);
  EXPECT_EQ(bench.computed(), 1u);
  EXPECT_EQ(bench.registry.counter("hymt_memory_hits_total", "", {{"store", "process"}}).value(),
            1u);
  bench.gate.open();
}

TEST(Memory, AnotherRequestIsComputed) {
  Bench bench;
  bench.submit({1, 2, 3}).heard->wait();
  const auto longer = bench.submit(Bench::ask({1, 2, 3}, 31));
  EXPECT_FALSE(longer.heard->wait().recalled());
  EXPECT_EQ(longer.heard->tokens(), answer_to({1, 2, 3}, 31));
  EXPECT_FALSE(bench.submit({1, 2, 4}).heard->wait().recalled());
}

TEST(Memory, SearchesWithBeamsAreRememberedWithAllTheirCandidates) {
  Bench bench;
  Ask ask = Bench::ask({1, 2, 3});
  ask.request.params.beams = 4;
  Ask same = ask;
  same.listener = std::make_shared<Heard>();
  const auto first = bench.submit(std::move(ask));
  first.heard->wait();
  const auto again = bench.submit(std::move(same));
  ASSERT_TRUE(again.heard->is_over());
  ASSERT_EQ(first.heard->finish().candidates.size(), 4u);
  ASSERT_EQ(again.heard->finish().candidates.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(again.heard->finish().candidates[i].tokens,
              first.heard->finish().candidates[i].tokens);
    EXPECT_EQ(again.heard->finish().candidates[i].score, first.heard->finish().candidates[i].score);
  }
}

TEST(Memory, AnswersExpire) {
  Bench bench;
  bench.submit({1}).heard->wait();
  bench.clock.pass(seconds(59));
  EXPECT_TRUE(bench.submit({1}).heard->wait().recalled());
  bench.clock.pass(seconds(1));
  EXPECT_FALSE(bench.submit({1}).heard->wait().recalled());
}

TEST(Memory, WithoutBytesEachRequestIsComputedForItself) {
  Bench bench(nullptr, 0);
  bench.gate.hold();
  const auto a = bench.submit({1}), b = bench.submit({1});
  bench.gate.open();
  EXPECT_EQ(a.heard->wait().reason(), FinishReason::length);
  EXPECT_EQ(b.heard->wait().reason(), FinishReason::length);
  EXPECT_FALSE(bench.submit({1}).heard->wait().recalled());
  EXPECT_EQ(bench.computed(), 3u);
}

TEST(Memory, ARequestMayForbidIt) {
  Bench bench;
  const auto with = [](bool recall, bool remember) {
    Ask ask = Bench::ask({1});
    ask.recall = recall;
    ask.remember = remember;
    return ask;
  };
  EXPECT_FALSE(bench.submit(with(false, false)).heard->wait().recalled());
  EXPECT_FALSE(bench.submit(with(true, true)).heard->wait().recalled()) << "it was not to be kept";
  EXPECT_FALSE(bench.submit(with(false, true)).heard->wait().recalled()) << "it was not to be used";
  EXPECT_TRUE(bench.submit(with(true, false)).heard->wait().recalled());
  EXPECT_EQ(bench.computed(), 3u);

  bench.gate.hold();
  const auto secret = bench.submit([&] {
    auto ask = Bench::ask({2});
    ask.remember = ask.recall = false;
    return ask;
  }());
  const auto other = bench.submit({2});
  bench.gate.open();
  secret.heard->wait();
  other.heard->wait();
  EXPECT_EQ(bench.computed(), 5u) << "what is to be kept from others is not shared either";
}

}  // namespace
}  // namespace hymt::translate::memory
