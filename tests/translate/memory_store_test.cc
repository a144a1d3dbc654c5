// A store that replicas share.
#include <gtest/gtest.h>

#include "translate/memory/record.h"
#include "translate/memory_bench.h"

namespace hymt::translate::memory {
namespace {

TEST(MemoryStore, ReplicasAnswerWhatOneOfThemHasComputed) {
  FakeStore store;
  {
    Bench bench(&store);
    const auto first = bench.submit({1});
    store.answer();
    first.heard->wait();
  }
  EXPECT_EQ(store.size(), 1u);
  Bench replica(&store);
  replica.gate.hold();
  const auto handle = replica.submit({1});
  EXPECT_FALSE(handle.heard->is_over());
  const auto joined = replica.submit({1});
  EXPECT_EQ(store.gets(), 2);
  store.answer();
  for (const auto& one : {handle, joined}) {
    ASSERT_TRUE(one.heard->is_over());
    EXPECT_TRUE(one.heard->recalled());
    EXPECT_EQ(one.heard->tokens(), answer_to({1}));
  }
  // From now on it needs no store for it.
  EXPECT_TRUE(replica.submit({1}).heard->is_over());
  EXPECT_EQ(store.gets(), 2);
  EXPECT_EQ(replica.computed(), 0u);
  replica.gate.open();
}

TEST(MemoryStore, WhatIsFoundIsKeptForTheTimeItHasLeft) {
  FakeStore store;
  {
    Bench bench(&store);
    const auto first = bench.submit({1});
    store.answer();
    first.heard->wait();
  }
  for (const auto& [left, kept] : {std::pair<Duration, Duration>{seconds(10), seconds(10)},
                                   {Duration::max(), seconds(60)},  // its own time
                                   {seconds(0), seconds(0)}}) {
    Bench replica(&store);
    store.set_left(left);
    const auto found = replica.submit({1});
    store.answer();
    EXPECT_TRUE(found.heard->wait().recalled());
    const int gets = store.gets();
    if (kept > Duration::zero()) {
      replica.clock.pass(kept - Duration(1));
      EXPECT_TRUE(replica.submit({1}).heard->is_over());
      EXPECT_EQ(store.gets(), gets);
      replica.clock.pass(Duration(1));
    }
    const auto again = replica.submit({1});
    EXPECT_EQ(store.gets(), gets + 1);
    store.answer();
    again.heard->wait();
  }
}

TEST(MemoryStore, WhatIsNotFoundInTimeIsComputed) {
  FakeStore store;
  Bench bench(&store);
  const auto slow = bench.submit({1});
  store.answer(false);
  EXPECT_EQ(slow.heard->wait().tokens(), answer_to({1}));
  store.set_down(true);
  const auto down = bench.submit({2});
  EXPECT_EQ(down.heard->wait().tokens(), answer_to({2}));
}

TEST(MemoryStore, NoBytesInItMakeAWrongAnswer) {
  const std::vector<std::function<void(std::string&)>> faults = {
      [](std::string& value) { value.clear(); },
      [](std::string& value) { value = "foreign"; },
      [](std::string& value) { value.pop_back(); },
      [](std::string& value) { value[value.size() / 2] ^= 1; },
      // The record of another request, whose name would be the same.
      [](std::string& value) {
        value = seal(key_of("test", Bench::ask({7}).request, 1024), encode([] {
                       Finish finish;
                       finish.candidates.push_back({{1, 2, 3}, FinishReason::stop, 0});
                       return finish;
                     }()));
      },
      // The right key, but tokens that the model does not have.
      [](std::string& value) {
        Finish finish;
        finish.candidates.push_back({{kVocab}, FinishReason::stop, 0});
        value = seal(key_of("test", Bench::ask({1}).request, 1024), encode(finish));
      },
  };
  for (size_t i = 0; i < faults.size(); ++i) {
    FakeStore store;
    {
      Bench bench(&store);
      const auto first = bench.submit({1});
      store.answer();
      first.heard->wait();
    }
    store.spoil(faults[i]);
    Bench bench(&store);
    const auto handle = bench.submit({1});
    store.answer();
    EXPECT_EQ(handle.heard->wait().tokens(), answer_to({1})) << i;
    EXPECT_FALSE(handle.heard->recalled());
    EXPECT_EQ(bench.count("hymt_memory_foreign_records_total"), 1u) << i;
    const auto key = key_of("test", Bench::ask({1}).request,
                            engine::max_fitting_tokens(bench.engine.runner(), 1));
    EXPECT_TRUE(unseal(*store.value(name_of(key)), key)) << "put right again";
  }
}

TEST(MemoryStore, WhoLeavesWhileItIsAskedCostsNoWork) {
  FakeStore store;
  Bench bench(&store);
  const auto handle = bench.submit({1});
  bench.memory.leave(handle.id);
  store.answer();
  EXPECT_EQ(handle.heard->wait().reason(), FinishReason::cancelled);
  EXPECT_EQ(bench.computed(), 0u);

  const auto a = bench.submit({2}), b = bench.submit({2});
  bench.memory.leave(a.id);
  bench.gate.hold();
  store.answer();
  EXPECT_TRUE(a.heard->is_over());
  bench.gate.open();
  EXPECT_EQ(b.heard->wait().tokens(), answer_to({2}));
  EXPECT_EQ(a.heard->wait().reason(), FinishReason::cancelled);
  EXPECT_EQ(bench.computed(), 1u);
}

TEST(MemoryStore, WhatTheEngineThenRefusesIsToldAsAnError) {
  FakeStore store;
  Bench bench(&store, 1 << 20, {.max_queue = 2, .max_sequences = 1});
  bench.gate.hold();
  store.set_down(true);
  const auto running = bench.submit({1});
  bench.gate.wait_for_a_step();
  const auto waiting = bench.submit({2});
  store.set_down(false);
  const auto refused = bench.submit({3}), with_it = bench.submit({3});
  store.answer();
  EXPECT_EQ(refused.heard->wait().code(), Code::queue_full);
  EXPECT_EQ(with_it.heard->wait().code(), Code::queue_full);
  bench.gate.open();
  waiting.heard->wait();
}

TEST(MemoryStore, DrainingEndsWhatIsStillAskingIt) {
  FakeStore store;
  Bench bench(&store);
  const auto handle = bench.submit({1});
  bench.memory.drain();
  store.answer();
  EXPECT_EQ(handle.heard->wait().tokens(), answer_to({1}));
  bench.wait_until_idle();
  EXPECT_FALSE(bench.engine.submit(Bench::ask({2}).request, std::make_shared<Heard>()));
}

}  // namespace
}  // namespace hymt::translate::memory
