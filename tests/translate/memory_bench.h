// A memory over a real engine whose model can be held, broken and foretold; who asks it, and a
// store that answers when the test says so.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <map>
#include <thread>

#include "engine/core.h"
#include "support/fake_runner.h"
#include "translate/memory/memory.h"

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

}  // namespace
}  // namespace hymt::translate::memory
