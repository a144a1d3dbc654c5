// Requests that are just being computed: who joins, leaves, runs out of time.
#include <gtest/gtest.h>

#include <barrier>
#include <random>

#include "translate/memory_bench.h"

namespace hymt::translate::memory {
namespace {

TEST(Memory, IdenticalRequestsInFlightShareOneComputation) {
  Bench bench;
  bench.gate.hold();
  std::vector<Handle> all;
  for (int i = 0; i < 20; ++i) all.push_back(bench.submit({1, 2}));
  bench.gate.open();
  for (const auto& one : all) {
    EXPECT_EQ(one.heard->wait().reason(), FinishReason::length);
    EXPECT_EQ(one.heard->tokens(), answer_to({1, 2}));
    EXPECT_FALSE(one.heard->recalled());
  }
  EXPECT_EQ(bench.computed(), 1u);
  EXPECT_EQ(bench.count("hymt_memory_joined_total"), 19u);
  EXPECT_EQ(bench.count("hymt_memory_misses_total"), 1u);
}

TEST(Memory, EqualPartsOfOneRequestAreComputedOnce) {
  Bench bench;
  std::vector<Ask> asks;
  std::vector<HeardPtr> heard;
  for (const Token token : {1, 2, 1, 2, 1}) {
    asks.push_back(Bench::ask({token}));
    heard.push_back(std::static_pointer_cast<Heard>(asks.back().listener));
  }
  ASSERT_TRUE(bench.memory.submit(std::move(asks)));
  for (size_t i = 0; i < heard.size(); ++i) {
    EXPECT_EQ(heard[i]->wait().tokens(), answer_to({i % 2 ? 2 : 1}));
  }
  EXPECT_EQ(bench.computed(), 2u);
}

TEST(Memory, ALateCallerHearsWhatThereIsAndThenTheRestAsItComes) {
  Bench bench;
  bench.gate.hold();
  const auto early = bench.submit({1});
  bench.gate.allow(10);
  early.heard->wait_for(10);
  const auto late = bench.submit({1});
  EXPECT_TRUE(late.heard->tokens().empty());
  bench.gate.allow(1);
  late.heard->wait_for(11);
  EXPECT_EQ(late.heard->tokens(), answer_to({1}, 11));
  bench.gate.open();
  for (const auto& one : {early, late}) EXPECT_EQ(one.heard->wait().tokens(), answer_to({1}));
  EXPECT_EQ(bench.computed(), 1u);
}

TEST(Memory, WhoLeavesDoesNotEndItForTheOthers) {
  for (const bool first_leaves : {true, false}) {
    Bench bench;
    bench.gate.hold();
    const auto a = bench.submit({1}), b = bench.submit({1});
    bench.gate.allow(5);
    a.heard->wait_for(5);
    b.heard->wait_for(5);
    const auto& leaver = first_leaves ? a : b;
    const auto& stayer = first_leaves ? b : a;
    bench.memory.leave(leaver.id);
    bench.memory.leave(leaver.id);
    bench.memory.leave(12345);
    bench.gate.open();
    EXPECT_EQ(stayer.heard->wait().tokens(), answer_to({1}));
    EXPECT_EQ(stayer.heard->reason(), FinishReason::length);
    EXPECT_EQ(leaver.heard->wait().reason(), FinishReason::cancelled);
    EXPECT_LT(leaver.heard->tokens().size(), 30u);
    EXPECT_TRUE(bench.submit({1}).heard->wait().recalled());
  }
}

TEST(Memory, TheLastToLeaveEndsIt) {
  Bench bench;
  bench.gate.hold();
  const auto a = bench.submit({1}), b = bench.submit({1});
  bench.gate.allow(5);
  a.heard->wait_for(5);
  bench.memory.leave(a.id);
  bench.memory.leave(b.id);
  // Nobody can join what is about to end.
  const auto next = bench.submit({1});
  bench.gate.open();
  EXPECT_EQ(a.heard->wait().reason(), FinishReason::cancelled);
  EXPECT_EQ(b.heard->wait().reason(), FinishReason::cancelled);
  EXPECT_EQ(next.heard->wait().tokens(), answer_to({1}));
  EXPECT_EQ(bench.computed(), 2u);
  bench.wait_until_idle();
}

TEST(Memory, WhatWasCutShortIsNotRemembered) {
  Bench bench;
  bench.gate.hold();
  const auto left = bench.submit({1});
  const auto late = bench.submit(bench.ask_until({2}, 5));
  bench.gate.allow(5);
  left.heard->wait_for(5);
  bench.memory.leave(left.id);
  bench.clock.pass(seconds(5));
  bench.gate.open();
  EXPECT_EQ(left.heard->wait().reason(), FinishReason::cancelled);
  EXPECT_EQ(late.heard->wait().reason(), FinishReason::deadline);
  bench.broken = true;
  const auto failed = bench.submit({3});
  EXPECT_TRUE(failed.heard->wait().failed());
  bench.broken = false;
  for (const Token token : {1, 2, 3}) {
    const auto again = bench.submit({token});
    EXPECT_FALSE(again.heard->wait().recalled());
    EXPECT_EQ(again.heard->tokens(), answer_to({token}));
  }
}

TEST(Memory, AFailureIsToldToAllWhoShareIt) {
  Bench bench;
  bench.gate.hold();
  const auto a = bench.submit({1}), b = bench.submit({1});
  bench.broken = true;
  bench.gate.open();
  EXPECT_EQ(a.heard->wait().code(), Code::internal);
  EXPECT_EQ(b.heard->wait().code(), Code::internal);
}

TEST(Memory, EachCallerHasItsOwnDeadline) {
  Bench bench;
  bench.gate.hold();
  const auto hasty = bench.submit(bench.ask_until({1}, 5));
  const auto patient = bench.submit(bench.ask_until({1}, 50));
  const auto also_hasty = bench.submit(bench.ask_until({1}, 5));
  bench.gate.allow(3);
  hasty.heard->wait_for(3);
  bench.clock.pass(seconds(6));
  bench.gate.open();
  EXPECT_EQ(hasty.heard->wait().reason(), FinishReason::deadline);
  EXPECT_EQ(also_hasty.heard->wait().reason(), FinishReason::deadline);
  EXPECT_EQ(patient.heard->wait().reason(), FinishReason::length);
  EXPECT_EQ(patient.heard->tokens(), answer_to({1}));
  EXPECT_EQ(bench.computed(), 1u);
}

TEST(Memory, ADeadlineThatPassesInTheQueueIsOfOneCallerOnly) {
  Bench bench(nullptr, 1 << 20, {.max_sequences = 1});
  bench.gate.hold();
  const auto other = bench.submit({9});
  bench.gate.wait_for_a_step();
  const auto hasty = bench.submit(bench.ask_until({1}, 5));
  const auto patient = bench.submit({1});
  bench.clock.pass(seconds(6));
  bench.gate.allow(1);
  bench.gate.wait_for_a_step();
  ASSERT_TRUE(hasty.heard->is_over()) << "told when it passes, not when the computation begins";
  EXPECT_EQ(hasty.heard->wait().code(), Code::deadline);
  EXPECT_FALSE(patient.heard->is_over());
  bench.gate.open();
  EXPECT_EQ(patient.heard->wait().tokens(), answer_to({1}));
  EXPECT_EQ(other.heard->wait().tokens(), answer_to({9}));
  EXPECT_EQ(bench.computed(), 2u);
}

TEST(Memory, WhoLeavesTheQueueOrASearchHearsSoAtOnce) {
  for (const bool search : {false, true}) {  // a search tells nothing before its end
    Bench bench(nullptr, 1 << 20, {.max_sequences = search ? 4 : 1});
    bench.gate.hold();
    std::optional<Handle> other;
    if (!search) other = bench.submit({9});
    if (!search) bench.gate.wait_for_a_step();
    const auto ask = [&] {
      Ask same = Bench::ask({1});
      if (search) same.request.params.beams = 4;
      return same;
    };
    const auto leaver = bench.submit(ask()), stayer = bench.submit(ask());
    if (search) bench.gate.wait_for_a_step();
    bench.memory.leave(leaver.id);
    bench.gate.allow(1);
    bench.gate.wait_for_a_step();
    ASSERT_TRUE(leaver.heard->is_over());
    EXPECT_EQ(leaver.heard->reason(), FinishReason::cancelled);
    EXPECT_FALSE(stayer.heard->is_over());
    bench.gate.open();
    EXPECT_EQ(stayer.heard->wait().reason(), FinishReason::length);
    if (other) other->heard->wait();
  }
}

TEST(Memory, ADeadlineStaysWhenACallerWithMoreTimeLeaves) {
  Bench bench;
  bench.gate.hold();
  const auto hasty = bench.submit(bench.ask_until({1}, 5));
  const auto patient = bench.submit(bench.ask_until({1}, 50));
  bench.gate.allow(3);
  hasty.heard->wait_for(3);
  bench.memory.leave(patient.id);
  bench.clock.pass(seconds(6));
  bench.gate.open();
  EXPECT_EQ(hasty.heard->wait().reason(), FinishReason::deadline);
  EXPECT_EQ(patient.heard->wait().reason(), FinishReason::cancelled);
}

TEST(Memory, WhoJoinsAsTheTimeOfTheOthersIsOverIsAnswered) {
  for (const int begun : {0, 3}) {  // tokens
    Bench bench;
    bench.gate.hold();
    // The engine ends the first one while it looks for more that are late, when it has looked into
    // its mailbox already. The second one, if it runs, can still be joined then, and if it waits
    // has just been closed to others.
    Handle joiner;
    Ask first = bench.ask_until({2}, 5);
    std::static_pointer_cast<Heard>(first.listener)->when_over([&] { joiner = bench.submit({1}); });
    const auto other = bench.submit(Bench::ask({9}));
    bench.gate.wait_for_a_step();
    const auto ended = bench.submit(std::move(first));
    const auto hasty = bench.submit(bench.ask_until({1}, 5));
    if (begun > 0) bench.gate.allow(1 + begun);
    if (begun > 0) hasty.heard->wait_for(3);
    bench.gate.wait_for_a_step();
    bench.clock.pass(seconds(5));
    bench.gate.open();
    ended.heard->wait();
    hasty.heard->wait();
    other.heard->wait();
    bench.wait_until_idle();
    EXPECT_EQ(joiner.heard->wait().tokens(), answer_to({1}));
    EXPECT_EQ(joiner.heard->reason(), FinishReason::length);
    EXPECT_EQ(hasty.heard->failed(), begun == 0);
    EXPECT_EQ(bench.computed(), begun == 0 ? 4u : 3u);
  }
}

TEST(Memory, WhoHoldsALeaverMayLeaveWhenTheMemoryIsGone) {
  Bench bench;
  bench.gate.hold();
  auto memory = std::make_unique<Memory>(bench.engine, nullptr, Options{.identity = "other"},
                                         bench.clock, bench.registry);
  std::vector<Ask> asks;
  asks.push_back(Bench::ask({1}));
  const auto heard = std::static_pointer_cast<Heard>(asks[0].listener);
  const auto leave = memory->leaver();
  const auto ids = memory->submit(std::move(asks));
  ASSERT_TRUE(ids);
  memory.reset();
  leave(ids->at(0));
  bench.gate.open();
  EXPECT_EQ(heard->wait().reason(), FinishReason::cancelled);
}

TEST(Memory, ACallerInAHurryTakesTheSharedComputationForward) {
  Bench bench(nullptr, 1 << 20, {.max_sequences = 1});
  bench.gate.hold();
  const auto running = bench.submit({9});
  bench.gate.wait_for_a_step();
  std::vector<Handle> crowd;
  for (Token token = 10; token < 20; ++token) {
    Ask ask = Bench::ask({token});
    ask.request.priority = Priority::bulk;
    crowd.push_back(bench.submit(std::move(ask)));
  }
  Ask bulk = Bench::ask({1});
  bulk.request.priority = Priority::bulk;
  const auto first = bench.submit(std::move(bulk));
  const auto urgent = bench.submit({1});
  bench.gate.allow(65);  // what runs and one more, but not two
  urgent.heard->wait();
  for (const auto& one : crowd) EXPECT_FALSE(one.heard->is_over());
  EXPECT_EQ(first.heard->wait().tokens(), answer_to({1}));
  bench.gate.open();
  for (const auto& one : crowd) one.heard->wait();
}

TEST(Memory, ARefusedSubmissionIsToldNothing) {
  // What runs its first step still counts as waiting.
  Bench bench(nullptr, 1 << 20, {.max_queue = 2, .max_sequences = 1});
  bench.submit({1}).heard->wait();
  bench.gate.hold();
  const auto running = bench.submit({2});
  bench.gate.wait_for_a_step();
  const auto waiting = bench.submit({3});
  std::vector<Ask> asks;
  std::vector<HeardPtr> heard;
  for (const Token token : {1, 2, 4}) {  // remembered, under way, new
    asks.push_back(Bench::ask({token}));
    heard.push_back(std::static_pointer_cast<Heard>(asks.back().listener));
  }
  const auto refused = bench.memory.submit(std::move(asks));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::queue_full);
  // What needs no place in the queue is answered all the same.
  EXPECT_TRUE(bench.submit({1}).heard->wait().recalled());
  const auto joined = bench.submit({2});
  bench.gate.open();
  EXPECT_EQ(joined.heard->wait().tokens(), answer_to({2}));
  waiting.heard->wait();
  bench.wait_until_idle();
  for (const auto& one : heard) {
    EXPECT_FALSE(one->is_over());
    EXPECT_TRUE(one->tokens().empty());
  }
  EXPECT_FALSE(bench.submit({4}).heard->wait().recalled());
}

TEST(Memory, DrainingAcceptsNothingNewAndEndsTheRest) {
  Bench bench;
  bench.submit({1}).heard->wait();
  bench.gate.hold();
  const auto running = bench.submit({2});
  bench.memory.drain();
  for (const Token token : {1, 2, 3}) {
    std::vector<Ask> asks;
    asks.push_back(Bench::ask({token}));
    const auto refused = bench.memory.submit(std::move(asks));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, Code::unavailable);
  }
  bench.gate.open();
  EXPECT_EQ(running.heard->wait().tokens(), answer_to({2}));
}

TEST(Memory, AnEngineThatEndsCancelsWhatIsShared) {
  HeardPtr a, b;
  {
    Bench bench;
    bench.gate.hold();
    a = bench.submit({1}).heard;
    b = bench.submit({1}).heard;
    bench.gate.allow(5);
    a->wait_for(5);
    bench.gate.open();
  }
  for (const auto& one : {a, b}) {
    ASSERT_TRUE(one->is_over());
    EXPECT_TRUE(one->reason() == FinishReason::cancelled || one->reason() == FinishReason::length);
  }
}

// Threads that ask, join, leave and run out of time as they like, with a store that answers now and
// then. Meant to be run under the thread sanitizer.
TEST(Memory, WhateverManyCallersDoEachHearsItsWholeAnswerOrWhyNot) {
  for (const bool with_store : {false, true}) {
    FakeStore store;
    Bench bench(with_store ? &store : nullptr, 20'000, {.max_queue = 1000, .max_sequences = 4});
    std::atomic<bool> stop{false};
    std::thread time([&] {
      std::mt19937 random(99);
      while (!stop) {
        bench.clock.pass(std::chrono::milliseconds(random() % 30));
        store.answer(random() % 4 > 0);
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
      }
    });
    std::barrier begin(4);  // of a round, in which all ask for much the same
    std::vector<std::thread> callers;
    for (unsigned t = 0; t < 4; ++t) {
      callers.emplace_back([&, t] {
        std::mt19937 random(t);
        for (int round = 0; round < 300; ++round) {
          begin.arrive_and_wait();
          const auto second = static_cast<Token>(1 + (random() % 8 ? round : round / 2) % 40);
          const std::vector<Token> prompt = {static_cast<Token>(1 + round / 40), second};
          Ask ask = Bench::ask(prompt);
          const bool hasty = random() % 3 == 0;
          if (hasty)
            ask.request.deadline = bench.clock.now() + std::chrono::milliseconds(random() % 400);
          ask.recall = random() % 8 > 0;
          ask.request.client = std::to_string(random() % 3);
          const auto deadline = ask.request.deadline;
          const auto handle = bench.submit(std::move(ask));
          const bool leaves = random() % 4 == 0;
          if (leaves) {
            handle.heard->wait_for(random() % 30);  // tokens
            bench.memory.leave(handle.id);
          }
          Heard& heard = handle.heard->wait();
          if (heard.failed()) {
            EXPECT_EQ(heard.code(), Code::deadline);
            EXPECT_TRUE(hasty && *deadline <= bench.clock.now());
            continue;
          }
          const auto whole = answer_to(prompt);
          const auto tokens = heard.tokens();
          EXPECT_LE(tokens.size(), whole.size());
          EXPECT_TRUE(tokens.size() <= whole.size() &&
                      std::equal(tokens.begin(), tokens.end(), whole.begin()));
          switch (heard.reason()) {
            case FinishReason::length:
              EXPECT_EQ(tokens.size(), whole.size());
              break;
            case FinishReason::deadline:
              EXPECT_TRUE(hasty && *deadline <= bench.clock.now());
              break;
            case FinishReason::cancelled:
              EXPECT_TRUE(leaves);
              break;
            default:
              ADD_FAILURE() << engine::name(heard.reason());
          }
        }
      });
    }
    for (auto& caller : callers) caller.join();
    stop = true;
    time.join();
    bench.wait_until_idle();
    EXPECT_GT(bench.count("hymt_memory_joined_total"), 0u);
  }
}

}  // namespace
}  // namespace hymt::translate::memory
