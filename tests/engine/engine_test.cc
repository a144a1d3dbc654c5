#include "engine/engine.h"

#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <optional>

#include "support/fake_runner.h"

namespace hymt::engine {
namespace {

constexpr int kVocab = 50;

// Waits for the end of a request.
class Waiter final : public Listener {
 public:
  void on_token(Token token, const TokenLogprobs*) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    tokens_.push_back(token);
  }
  void on_finish(const Finish& finish) override { end(finish.candidates.at(0).reason); }
  void on_error(const Error&) override { end(std::nullopt); }

  std::optional<FinishReason> wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    ended_.wait(lock, [&] { return done_; });
    return reason_;
  }
  std::vector<Token> tokens() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return tokens_;
  }

 private:
  void end(std::optional<FinishReason> reason) {
    const std::lock_guard<std::mutex> lock(mutex_);
    reason_ = reason;
    done_ = true;
    ended_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable ended_;
  bool done_ = false;
  std::optional<FinishReason> reason_;
  std::vector<Token> tokens_;
};

std::unique_ptr<test::FakeRunner> runner(int n_blocks = 16) {
  return std::make_unique<test::FakeRunner>(
      kVocab, test::small_limits(n_blocks),
      test::deterministic([](auto history) { return test::hash_of(history, kVocab); }));
}

Request request(std::vector<Token> prompt, int max_tokens = 5) {
  Request out;
  out.prompt = std::move(prompt);
  out.stop_ids = {0};
  out.params.max_tokens = max_tokens;
  out.params.ignore_eos = true;
  return out;
}

class EngineTest : public testing::Test {
 protected:
  SteadyClock clock_;
  metrics::Registry metrics_;
};

TEST_F(EngineTest, AnswersManyCallersAtOnce) {
  Engine engine(runner(), {}, clock_, metrics_);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller) {
    callers.emplace_back([&, caller] {
      for (int i = 0; i < 20; ++i) {
        auto waiter = std::make_shared<Waiter>();
        ASSERT_TRUE(engine.submit(request({caller + 1, i + 1}), waiter));
        EXPECT_EQ(waiter->wait(), FinishReason::length);
        EXPECT_EQ(waiter->tokens().size(), 5u);
      }
    });
  }
  for (auto& caller : callers) caller.join();
}

TEST_F(EngineTest, RefusesWhatCanNeverFitAndWhatMakesNoSense) {
  Engine engine(runner(2), {}, clock_, metrics_);
  const auto code = [&](Request r) {
    return engine.submit(std::move(r), std::make_shared<Waiter>()).error().code;
  };
  EXPECT_EQ(code(request(std::vector<Token>(32, 1))), Code::too_large);
  EXPECT_EQ(code(request({})), Code::invalid_argument);
  EXPECT_EQ(code(request({kVocab})), Code::invalid_argument);
  EXPECT_EQ(code(request({1}, 0)), Code::invalid_argument);
}

TEST_F(EngineTest, TheQueueIsBounded) {
  auto slow = runner();
  std::mutex gate;
  gate.lock();
  slow->before_forward = [&] {
    const std::lock_guard<std::mutex> wait(gate);
    return Result<void>();
  };
  Options options;
  options.max_queue = 3;
  options.max_sequences = 1;
  std::vector<std::shared_ptr<Waiter>> accepted;
  Engine engine(std::move(slow), options, clock_, metrics_);
  int refused = 0;
  for (int i = 0; i < 10; ++i) {
    auto waiter = std::make_shared<Waiter>();
    const auto id = engine.submit(request({1, 2}), waiter);
    if (id) {
      accepted.push_back(waiter);
    } else {
      EXPECT_EQ(id.error().code, Code::queue_full);
      ++refused;
    }
  }
  EXPECT_GE(refused, 6);  // three wait, one may run
  gate.unlock();
  for (auto& waiter : accepted) EXPECT_EQ(waiter->wait(), FinishReason::length);
  auto later = std::make_shared<Waiter>();
  while (!engine.submit(request({1, 2}), later)) std::this_thread::yield();
  EXPECT_EQ(later->wait(), FinishReason::length);
}

// A step takes a second, a request five steps: one leaves the queue in five seconds.
TEST_F(EngineTest, AFullQueueSaysWhenToTryAgain) {
  class StepClock final : public Clock {
   public:
    Time now() const override { return Time(std::chrono::seconds(seconds.load())); }
    std::atomic<int> seconds{0};
  } clock;
  auto slow = runner();
  slow->before_forward = [&] {
    ++clock.seconds;
    return Result<void>();
  };
  Options options;
  options.max_queue = 4;
  options.max_sequences = 1;
  Engine engine(std::move(slow), options, clock, metrics_);
  std::vector<std::shared_ptr<Waiter>> accepted;
  std::optional<Error> refused;
  while (clock.seconds < 60 || !refused) {
    auto waiter = std::make_shared<Waiter>();
    const auto id = engine.submit(request({1, 2}), waiter);
    if (id) accepted.push_back(waiter);
    if (!id && clock.seconds >= 60) refused = id.error();
  }
  EXPECT_EQ(refused->code, Code::queue_full);
  EXPECT_GE(refused->retry_after, 5 * 5 - 8);
  EXPECT_LE(refused->retry_after, 5 * 5 + 8);
  for (auto& waiter : accepted) EXPECT_EQ(waiter->wait(), FinishReason::length);
}

// A text of many lines is one submission: an idle queue takes it, however short the queue.
TEST_F(EngineTest, ASubmissionLongerThanTheQueueIsTakenWhenNobodyWaits) {
  Options options;
  options.max_queue = 3;
  Engine engine(runner(), options, clock_, metrics_);
  std::vector<Submission> lines;
  std::vector<std::shared_ptr<Waiter>> waiters;
  for (int i = 0; i < 10; ++i) {
    waiters.push_back(std::make_shared<Waiter>());
    lines.push_back({request({1, i + 1}), waiters.back()});
  }
  ASSERT_TRUE(engine.submit(std::move(lines)));
  for (auto& waiter : waiters) EXPECT_EQ(waiter->wait(), FinishReason::length);
}

TEST_F(EngineTest, CancelEndsARequest) {
  Engine engine(runner(100), {}, clock_, metrics_);
  auto waiter = std::make_shared<Waiter>();
  const auto id = engine.submit(request({1}, 1500), waiter);
  ASSERT_TRUE(id);
  engine.cancel(*id);
  engine.cancel(12345);
  EXPECT_EQ(waiter->wait(), FinishReason::cancelled);
}

TEST_F(EngineTest, ACancelCostsNoFurtherStep) {
  auto slow = runner(100);
  std::promise<void> begun, cancelled;
  std::atomic<int> n_forwards = 0;
  slow->before_forward = [&] {
    if (++n_forwards == 3) {
      begun.set_value();
      cancelled.get_future().wait();
    }
    return Result<void>();
  };
  Engine engine(std::move(slow), {}, clock_, metrics_);
  auto waiter = std::make_shared<Waiter>();
  const auto id = engine.submit(request({1}, 1500), waiter);
  ASSERT_TRUE(id);
  begun.get_future().wait();
  engine.cancel(*id);
  cancelled.set_value();
  EXPECT_EQ(waiter->wait(), FinishReason::cancelled);
  EXPECT_EQ(n_forwards, 3);
  while (engine.status().blocks_used != 0) std::this_thread::yield();
  EXPECT_NE(metrics_.render().find("hymt_engine_cancel_seconds_count 1\n"), std::string::npos);
}

TEST_F(EngineTest, DrainingFinishesWhatWasAcceptedAndTakesNothingNew) {
  Engine engine(runner(), {}, clock_, metrics_);
  auto waiter = std::make_shared<Waiter>();
  ASSERT_TRUE(engine.submit(request({1}, 100), waiter));
  engine.drain();
  EXPECT_EQ(engine.submit(request({2}), std::make_shared<Waiter>()).error().code,
            Code::unavailable);
  EXPECT_EQ(waiter->wait(), FinishReason::length);
}

TEST_F(EngineTest, DestructionCancelsWhatIsLeft) {
  auto waiter = std::make_shared<Waiter>();
  {
    Engine engine(runner(100), {}, clock_, metrics_);
    ASSERT_TRUE(engine.submit(request({1}, 1500), waiter));
  }
  EXPECT_TRUE(waiter->wait().has_value());
}

}  // namespace
}  // namespace hymt::engine
