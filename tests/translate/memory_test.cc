#include "translate/memory/memory.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <condition_variable>
#include <map>
#include <random>
#include <thread>

#include "engine/core.h"
#include "support/fake_runner.h"
#include "translate/memory/record.h"

namespace hymt::translate::memory {
namespace {

using engine::Finish;
using engine::FinishReason;
using engine::Priority;
using engine::Token;
using std::chrono::seconds;

constexpr int kVocab = 50;
constexpr Token kStop = 0;

class ManualClock final : public Clock {
 public:
  Time now() const override { return Time(Duration(now_.load())); }
  void pass(Duration time) { now_ += time.count(); }

 private:
  std::atomic<Duration::rep> now_{0};
};

// Lets the model take steps: as many as allowed.
class Gate {
 public:
  void hold() {
    const std::lock_guard<std::mutex> lock(mutex_);
    left_ = 0;
  }
  void allow(int64_t n) {
    const std::lock_guard<std::mutex> lock(mutex_);
    left_ += n;
    changed_.notify_all();
  }
  void open() { allow(int64_t{1} << 40); }
  void pass() {
    std::unique_lock<std::mutex> lock(mutex_);
    ++waiting_;
    changed_.notify_all();
    changed_.wait(lock, [this] { return left_ > 0; });
    --waiting_;
    --left_;
  }
  // Until it has taken those, and is about to take one more.
  void wait_for_a_step() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return waiting_ > 0 && left_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int64_t left_ = int64_t{1} << 40;
  int waiting_ = 0;
};

// Hears of one request, and holds the memory to its contract.
class Heard final : public Listener {
 public:
  void on_token(Token token, const engine::TokenLogprobs*) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    EXPECT_FALSE(over());
    tokens_.push_back(token);
    changed_.notify_all();
  }
  void on_finish(const Finish& finish) override {
    end([&] { finish_ = finish; });
  }
  void on_recall(const Finish& finish) override {
    end([&] {
      EXPECT_TRUE(tokens_.empty());
      finish_ = finish;
      recalled_ = true;
    });
  }
  void on_error(const Error& error) override {
    end([&] { error_ = error; });
  }

  void when_over(std::function<void()> then) {  // before it is submitted
    then_ = std::move(then);
  }

  Heard& wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return over(); });
    return *this;
  }
  void wait_for(size_t n) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return over() || tokens_.size() >= n; });
  }
  bool is_over() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return over();
  }
  std::vector<Token> tokens() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return recalled_ ? finish_->candidates[0].tokens : tokens_;
  }
  // After wait().
  FinishReason reason() const { return finish_.value().candidates.at(0).reason; }
  const Finish& finish() const { return finish_.value(); }
  bool failed() const { return error_.has_value(); }
  Code code() const { return error_.value().code; }
  bool recalled() const { return recalled_; }

 private:
  bool over() const { return finish_ || error_; }
  template <class Set>
  void end(Set set) {
    std::function<void()> then;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      EXPECT_FALSE(over()) << "ended twice";
      set();
      changed_.notify_all();
      then = then_;
    }
    if (then) then();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<Token> tokens_;
  std::optional<Finish> finish_;
  std::optional<Error> error_;
  bool recalled_ = false;
  std::function<void()> then_;
};
using HeardPtr = std::shared_ptr<Heard>;

// A store that answers when it is told to.
class FakeStore final : public Store {
 public:
  bool get(const std::string& name, Found found) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (down_) return false;
    ++gets_;
    open_.emplace_back(name, std::move(found));
    return true;
  }
  void put(std::string name, std::string value) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    values_[std::move(name)] = std::move(value);
  }
  // Answers all that is asked; of the hasty nothing was found in time.
  void answer(bool in_time = true) {
    std::vector<std::pair<std::string, Found>> open;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      open.swap(open_);
    }
    for (auto& [name, found] : open) {
      const auto bytes = in_time ? value(name) : std::nullopt;
      found(bytes ? std::optional(Value{*bytes, left_}) : std::nullopt);
    }
  }
  std::optional<std::string> value(const std::string& name) {
    const std::lock_guard<std::mutex> lock(mutex_);
    const auto at = values_.find(name);
    return at == values_.end() ? std::nullopt : std::optional(at->second);
  }
  void spoil(const std::function<void(std::string&)>& change) {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (auto& [name, value] : values_) change(value);
  }
  void set_left(Duration left) {
    const std::lock_guard<std::mutex> lock(mutex_);
    left_ = left;
  }
  void set_down(bool down) {
    const std::lock_guard<std::mutex> lock(mutex_);
    down_ = down;
  }
  int gets() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return gets_;
  }
  size_t size() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return values_.size();
  }

 private:
  std::mutex mutex_;
  std::map<std::string, std::string> values_;
  std::vector<std::pair<std::string, Found>> open_;
  bool down_ = false;
  Duration left_ = Duration::max();
  int gets_ = 0;
};

struct Handle {
  Id id = 0;
  HeardPtr heard;
};

struct Bench {
  explicit Bench(Store* store = nullptr, size_t bytes = 1 << 20, engine::Options options = {},
                 int n_blocks = 64)
      : engine(make_runner(n_blocks), options, clock, registry),
        memory(engine, store, {.identity = "test", .bytes = bytes, .keep = seconds(60)}, clock,
               registry) {}

  std::unique_ptr<model::Runner> make_runner(int n_blocks) {
    auto limits = test::small_limits(n_blocks);
    limits.max_batch_asks = 64;
    auto runner = std::make_unique<test::FakeRunner>(
        kVocab, limits,
        test::deterministic([](auto history) { return test::hash_of(history, kVocab); }));
    runner->before_forward = [this]() -> Result<void> {
      gate.pass();
      return broken ? Result<void>(fail(Code::internal, "the machine failed")) : Result<void>();
    };
    return runner;
  }

  static Ask ask(std::vector<Token> prompt, int max_tokens = 30) {
    Ask ask;
    ask.request.prompt = std::move(prompt);
    ask.request.stop_ids = {kStop};
    ask.request.params.max_tokens = max_tokens;
    ask.request.params.ignore_eos = true;  // lengths are known; the token below is then never kStop
    ask.listener = std::make_shared<Heard>();
    return ask;
  }
  Ask ask_until(std::vector<Token> prompt, int deadline) const {
    Ask out = ask(std::move(prompt));
    out.request.deadline = clock.now() + seconds(deadline);
    return out;
  }
  Handle submit(Ask ask) {
    const auto heard = std::static_pointer_cast<Heard>(ask.listener);
    std::vector<Ask> asks;
    asks.push_back(std::move(ask));
    const auto ids = memory.submit(std::move(asks));
    EXPECT_TRUE(ids) << (ids ? "" : ids.error().message);
    return {ids ? ids->at(0) : 0, heard};
  }
  Handle submit(std::vector<Token> prompt) { return submit(ask(std::move(prompt))); }

  uint64_t count(const char* name) { return registry.counter(name, "").value(); }
  uint64_t computed() {
    uint64_t sum = 0;
    for (const char* reason : {"stop", "length", "loop", "cancelled", "deadline"}) {
      sum +=
          registry.counter("hymt_engine_finished_requests_total", "", {{"reason", reason}}).value();
    }
    return sum;
  }
  void wait_until_idle() {
    const auto busy = [&] {
      const auto status = engine.status();
      return status.running + status.queued + status.blocks_used > 0;
    };
    while (busy()) std::this_thread::yield();
  }

  Gate gate;
  std::atomic<bool> broken{false};
  ManualClock clock;
  metrics::Registry registry;
  engine::Engine engine;
  Memory memory;
};

// What the model says, computed without an engine.
std::vector<Token> answer_to(std::vector<Token> history, size_t max_tokens = 30) {
  std::vector<Token> answer;
  std::vector<float> logits(kVocab);
  const auto logits_of = test::deterministic([](auto h) { return test::hash_of(h, kVocab); });
  while (answer.size() < max_tokens) {
    logits_of(history, logits);
    logits[kStop] = -1e30f;
    const auto best = std::max_element(logits.begin(), logits.end()) - logits.begin();
    answer.push_back(static_cast<Token>(best));
    history.push_back(answer.back());
  }
  return answer;
}

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

// A store that replicas share. -----------------------------------------------------------------

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
            for (unsigned i = random() % 300; i > 0; --i) std::this_thread::yield();
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
