#include "fake_translator.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <thread>

#include "base/utf8.h"

namespace hymt::test {

struct FakeTranslator::Job {
  translate::Request request;
  std::shared_ptr<translate::Sink> sink;
  Script script;
  translate::Reply reply;
  size_t index = 0;  // of the text being answered
  size_t at = 0;     // bytes of its answer told
  bool begun = false;
  std::atomic<bool> cancelled{false};
  std::atomic<bool> finished{false};
};

struct FakeTranslator::CancelTicket final : translate::Ticket {
  CancelTicket(FakeTranslator& owner_in, std::shared_ptr<Job> job_in)
      : owner(owner_in), job(std::move(job_in)) {}
  ~CancelTicket() override {
    if (job->finished) return;
    const std::lock_guard<std::mutex> lock(owner.mutex_);
    job->cancelled = true;
    ++owner.cancelled_;
    owner.changed_.notify_all();
  }
  FakeTranslator& owner;
  std::shared_ptr<Job> job;
};

FakeTranslator::FakeTranslator() {
  info_.name = "Fake-MT";
  info_.generation = "hunyuan-mt";
  info_.max_input_tokens = 4096;
  info_.recommended = {0.7f, 20, 0.6f, 1.05f};
  for (const auto& language : translate::languages()) {
    if (language.code != "bo") info_.languages.push_back(&language);
  }
  thread_ = std::thread([this] { run(); });
}

FakeTranslator::~FakeTranslator() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    stop_ = true;
    changed_.notify_all();
  }
  thread_.join();
}

void FakeTranslator::play(Script script) {
  const std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& job : jobs_) job->script.held = script.held;
  script_ = std::move(script);
  changed_.notify_all();
}

Result<std::unique_ptr<translate::Ticket>> FakeTranslator::translate(
    const translate::Request& request, std::shared_ptr<translate::Sink> sink) {
  std::unique_lock<std::mutex> lock(mutex_);
  last_ = request;
  ++begun_;
  changed_.notify_all();
  changed_.wait(lock, [&] { return !script_.busy || stop_; });
  if (script_.refuse) return tl::unexpected(*script_.refuse);
  if (!translate::find_language(request.target)) {
    return fail(Code::invalid_argument, "unknown language", "target");
  }
  auto job = std::make_shared<Job>();
  job->request = request;
  job->sink = std::move(sink);
  job->script = script_;
  if (script_.at_once) {
    lock.unlock();
    while (step(*job)) {
    }
    return std::make_unique<CancelTicket>(*this, job);
  }
  jobs_.push_back(job);
  changed_.notify_all();
  return std::make_unique<CancelTicket>(*this, job);
}

translate::Detection FakeTranslator::detect(std::string_view text) const {
  if (text.empty()) return {};
  return {text.front() < 0 ? "zh" : "en", 0.75};
}

void FakeTranslator::run() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (!stop_) {
    const auto moves = [](const auto& job) { return !job->script.held || job->cancelled; };
    changed_.wait(lock, [&] { return stop_ || std::any_of(jobs_.begin(), jobs_.end(), moves); });
    for (auto it = jobs_.begin(); it != jobs_.end() && !stop_;) {
      const auto job = *it;
      if (!moves(job)) {
        ++it;
        continue;
      }
      lock.unlock();  // as an engine, it calls sinks without a lock
      const bool alive = step(*job);
      lock.lock();
      it = alive ? std::next(it) : jobs_.erase(it);
      if (!alive) ++ended_, changed_.notify_all();
    }
  }
}

bool FakeTranslator::step(Job& job) {
  const auto end = [&](const Result<translate::Reply>& reply) {
    job.finished = true;
    job.sink->on_finish(reply);
    return false;
  };
  if (job.cancelled) return false;  // an engine says no more to who has left
  if (job.script.fail && (job.begun || !job.script.late))
    return end(tl::unexpected(*job.script.fail));
  job.begun = true;
  const std::string& text = job.request.texts[job.index];
  const std::string answer = job.request.target + ":" + text;
  if (job.script.endless) {
    // At the pace of a model: faster than any reader, it would be cut off before it is read.
    std::this_thread::sleep_for(std::chrono::microseconds(100));
    job.sink->on_delta(job.index, std::string(job.script.delta, 'x'));
    return true;
  }
  size_t end_at = std::min(job.at + job.script.delta, answer.size());
  end_at = job.at + utf8::complete_prefix(std::string_view(answer).substr(job.at, end_at - job.at));
  if (end_at > job.at) job.sink->on_delta(job.index, answer.substr(job.at, end_at - job.at));
  job.at = end_at;
  if (job.at < answer.size()) return true;

  translate::Translation done;
  done.text = answer;
  done.detected = job.request.source == "auto";
  done.source = done.detected ? detect(text).language : job.request.source;
  job.sink->on_translation(job.index, done);
  job.reply.translations.push_back(done);
  job.reply.usage.input_tokens += static_cast<int>(text.size());
  job.reply.usage.output_tokens += static_cast<int>(answer.size());
  job.at = 0;
  if (++job.index < job.request.texts.size()) return true;
  job.reply.model = info_.name;
  return end(job.reply);
}

template <class Condition>
bool FakeTranslator::wait(Condition condition) {
  std::unique_lock<std::mutex> lock(mutex_);
  return changed_.wait_for(lock, std::chrono::seconds(10), condition);
}

bool FakeTranslator::wait_begun(int n) {
  return wait([&] { return begun_ >= n; });
}
bool FakeTranslator::wait_ended(int n) {
  return wait([&] { return ended_ >= n; });
}
bool FakeTranslator::wait_cancelled(int n) {
  return wait([&] { return cancelled_ >= n; });
}
int FakeTranslator::live() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return static_cast<int>(jobs_.size());
}
int FakeTranslator::begun() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return begun_;
}
translate::Request FakeTranslator::last() {
  const std::lock_guard<std::mutex> lock(mutex_);
  return last_;
}

}  // namespace hymt::test
