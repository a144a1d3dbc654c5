#include "engine/engine.h"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/core.h"
#include "engine/rate_meter.h"
#include "engine/sampler.h"

namespace hymt::engine {
namespace {

struct Arrival {
  RequestId id;
  Submission submission;
  Time time;
};

struct Join {
  RequestId id;
  Caller caller;
};

constexpr double kLongestRetry = 60;  // seconds

}  // namespace

class Engine::Impl {
 public:
  Impl(std::unique_ptr<model::Runner> runner, const Options& options, const Clock& clock,
       metrics::Registry& registry)
      : runner_(std::move(runner)),
        options_(options),
        clock_(clock),
        metrics_(registry),
        core_(*runner_, {options.max_sequences, options.step_tokens, options.share_prefixes}, clock,
              metrics_),
        left_queue_(clock.now()),
        thread_([this] { run(); }) {}

  ~Impl() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
    }
    wake_.notify_one();
    thread_.join();
  }

  Result<std::vector<RequestId>> submit(std::vector<Submission> submissions) {
    int n_tokens = 0;
    for (const auto& submission : submissions) {
      HYMT_TRY(check(submission.request));
      n_tokens += static_cast<int>(submission.request.prompt.size());
    }
    const auto n = static_cast<int>(submissions.size());
    const std::lock_guard<std::mutex> lock(mutex_);
    if (draining_) return fail(Code::unavailable, "the engine is draining: try again later");
    if (queued_ >= options_.max_queue || queued_tokens_ + n_tokens > options_.max_queue_tokens) {
      Error error{Code::queue_full, "too many requests are waiting: try again later", {}};
      error.retry_after = retry_after();
      return tl::unexpected(std::move(error));
    }
    queued_ += n;
    queued_tokens_ += n_tokens;
    std::vector<RequestId> ids;
    for (auto& submission : submissions) {
      ids.push_back(next_id_++);
      arrivals_.push_back({ids.back(), std::move(submission), clock_.now()});
    }
    wake_.notify_one();
    return ids;
  }

  void join(RequestId id, Caller caller) {
    const std::lock_guard<std::mutex> lock(mutex_);
    joins_.push_back({id, std::move(caller)});
    wake_.notify_one();
  }

  void expire(RequestId id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    expired_.push_back(id);
    wake_.notify_one();
  }

  void cancel(RequestId id) {
    const std::lock_guard<std::mutex> lock(mutex_);
    cancels_.push_back({id, clock_.now()});
    wake_.notify_one();
  }

  void drain() {
    const std::lock_guard<std::mutex> lock(mutex_);
    draining_ = true;
  }

  Status status() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return {queued_, running_, blocks_used_, runner_->limits().n_blocks};
  }

  const model::Runner& runner() const { return *runner_; }

 private:
  Result<void> check(const Request& request) const {
    const auto& config = runner_->config();
    HYMT_TRY(validate(request.params, config.n_vocab));
    if (request.prompt.empty())
      return fail(Code::invalid_argument, "the prompt is empty", "prompt");
    const auto unknown = [&](Token token) { return token < 0 || token >= config.n_vocab; };
    const auto known = [&](const std::vector<Token>& tokens, const char* field) -> Result<void> {
      if (std::none_of(tokens.begin(), tokens.end(), unknown)) return {};
      return fail(Code::invalid_argument, "a token id is not in the vocabulary", field);
    };
    HYMT_TRY(known(request.prompt, "prompt"));
    HYMT_TRY(known(request.stop_ids, "stop"));
    const int k = BeamSearch::candidates_needed(request.params, request.stop_ids.size());
    if (request.params.beams > 1 && (request.params.beams > core_.max_sequences() ||
                                     k > runner_->limits().max_top_k || k > config.n_vocab)) {
      return fail(
          Code::unsupported,
          "this engine is set up for fewer than " + std::to_string(request.params.beams) + " beams",
          "beams");
    }
    const int most = max_fitting_tokens(*runner_, request.params.beams);
    if (static_cast<int64_t>(request.prompt.size()) >= most) {
      return fail(Code::too_large,
                  "the prompt has " + std::to_string(request.prompt.size()) +
                      " tokens; prompt and answer together can have " + std::to_string(most),
                  "prompt");
    }
    return {};
  }

  void run() {
    std::vector<Arrival> arrivals;
    std::vector<Join> joins;
    std::vector<RequestId> expired;
    std::vector<Cancel> cancels;
    for (bool busy = false, stop = false; !stop;) {
      {
        std::unique_lock<std::mutex> lock(mutex_);
        if (!busy) {
          wake_.wait(lock, [&] {
            return stop_ || !arrivals_.empty() || !joins_.empty() || !expired_.empty() ||
                   !cancels_.empty();
          });
        }
        std::swap(arrivals, arrivals_);
        std::swap(joins, joins_);
        std::swap(expired, expired_);
        std::swap(cancels, cancels_);
        stop = stop_;
      }
      for (auto& [id, submission, time] : arrivals) {
        core_.submit(id, std::move(submission.request), std::move(submission.listener), time);
      }
      // Each of these came after its arrival.
      for (const auto& [id, caller] : joins) core_.join(id, caller);
      for (const RequestId id : expired) core_.expire(id);
      if (!cancels.empty()) core_.cancel(cancels);
      arrivals.clear();
      joins.clear();
      expired.clear();
      cancels.clear();
      busy = !stop && core_.step();
      publish();
    }
    core_.cancel_all();
  }

  // What waits is what the core has not admitted yet and what has arrived since.
  void publish() {
    const std::lock_guard<std::mutex> lock(mutex_);
    const int before = queued_ - static_cast<int>(arrivals_.size());
    left_queue_.add(before - core_.n_queued(), clock_.now());
    queued_ = core_.n_queued() + static_cast<int>(arrivals_.size());
    queued_tokens_ = core_.n_queued_tokens();
    for (const Arrival& arrival : arrivals_) {
      queued_tokens_ += static_cast<int>(arrival.submission.request.prompt.size());
    }
    running_ = core_.n_running();
    blocks_used_ = core_.blocks().size() - core_.blocks().available();
  }

  // The time that the requests now waiting will take to leave the queue, as fast as others have
  // left it lately.
  int retry_after() const {
    const double rate = left_queue_.per_second(clock_.now());
    if (rate == 0) return 0;
    return static_cast<int>(std::ceil(std::min((queued_ + 1) / rate, kLongestRetry)));
  }

  const std::unique_ptr<model::Runner> runner_;
  const Options options_;
  const Clock& clock_;
  Metrics metrics_;
  Core core_;  // the thread's alone

  mutable std::mutex mutex_;  // guards what follows; never held during a step
  std::condition_variable wake_;
  std::vector<Arrival> arrivals_;
  std::vector<Join> joins_;
  std::vector<RequestId> expired_;
  std::vector<Cancel> cancels_;
  RateMeter left_queue_;
  RequestId next_id_ = 1;
  int queued_ = 0, queued_tokens_ = 0, running_ = 0, blocks_used_ = 0;
  bool draining_ = false;
  bool stop_ = false;

  std::thread thread_;  // last: it uses all of the above
};

Engine::Engine(std::unique_ptr<model::Runner> runner, const Options& options, const Clock& clock,
               metrics::Registry& metrics)
    : impl_(new Impl(std::move(runner), options, clock, metrics)) {}
Engine::~Engine() = default;

Result<RequestId> Engine::submit(Request request, std::shared_ptr<Listener> listener) {
  std::vector<Submission> one;
  one.push_back({std::move(request), std::move(listener)});
  return HYMT_TRY(submit(std::move(one))).front();
}
Result<std::vector<RequestId>> Engine::submit(std::vector<Submission> submissions) {
  return impl_->submit(std::move(submissions));
}
void Engine::join(RequestId id, Caller caller) {
  impl_->join(id, std::move(caller));
}
void Engine::expire(RequestId id) {
  impl_->expire(id);
}
void Engine::cancel(RequestId id) {
  impl_->cancel(id);
}
void Engine::drain() {
  impl_->drain();
}
Status Engine::status() const {
  return impl_->status();
}
const model::Runner& Engine::runner() const {
  return impl_->runner();
}

}  // namespace hymt::engine
