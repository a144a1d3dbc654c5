#include "translate/memory/redis_store.h"

#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/quote.h"
#include "translate/memory/redis_connection.h"
#include "translate/memory/redis_metrics.h"

namespace hymt::translate::memory {
namespace {

struct Question {
  std::string name;
  Store::Found found;  // empty once called
  Time asked;
  Duration left{};  // that Redis keeps the value
};

struct Put {
  std::string name, value;
};

double seconds(Duration duration) {
  return std::chrono::duration<double>(duration).count();
}

bool is_error(const redisReply& reply) {
  return reply.type == REDIS_REPLY_ERROR;
}

std::string text_of(const redisReply& reply) {
  return reply.str ? in_quotes({reply.str, reply.len}, 100) : "an odd reply";
}

}  // namespace

class RedisStore::Impl {
 public:
  Impl(RedisOptions options, metrics::Registry& registry, Log& log)
      : options_(std::move(options)),
        metrics_(registry),
        log_(log),
        get_(options_.breaker),
        put_(options_.breaker),
        pause_(options_.reconnect),
        bell_(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    HYMT_CHECK(bell_ >= 0);
    thread_ = std::thread([this] { run(); });
  }

  ~Impl() {
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      stop_ = true;
      up_ = false;
    }
    ring();
    thread_.join();
    ::close(bell_);
  }

  bool get(const std::string& name, Found found) {
    const Time now = clock_.now();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!up_ || n_questions_ >= options_.max_questions || !get_.allow(now)) {
        metrics_.get.skipped.add();
        return false;
      }
      ++n_questions_;
      questions_.push_back(std::make_shared<Question>(Question{name, std::move(found), now}));
    }
    ring();
    return true;
  }

  void put(std::string name, std::string value) {
    const Time now = clock_.now();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      if (!up_ || value.size() > options_.max_value ||
          put_bytes_ + value.size() > options_.max_put_bytes || !put_.allow(now)) {
        return metrics_.put.skipped.add();
      }
      put_bytes_ += value.size();
      puts_.push_back({std::move(name), std::move(value)});
    }
    ring();
  }

  bool connected() const {
    const std::lock_guard<std::mutex> lock(mutex_);
    return up_;
  }

 private:
  using QuestionPtr = std::shared_ptr<Question>;

  // Of the store's thread, down to wait().

  void run() {
    sigset_t all;  // SIGPIPE is hiredis' to cause; others' signals are not ours to take
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
    for (bool stop = false; !stop;) {
      stop = take_mail();
      const Time now = clock_.now();
      expire(now);
      if (!stop && !connection_ && now >= reconnect_at_) connect(now);
      if (stop || (connection_ && !connection_->failure().empty())) lose(now);
      if (!stop) wait();
    }
    for (const QuestionPtr& question : open_) answer(*question, std::nullopt);
  }

  // Hands what the mailbox holds to the connection. True: to stop.
  bool take_mail() {
    std::vector<QuestionPtr> questions;
    std::vector<Put> puts;
    bool stop = false;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      questions.swap(questions_);
      puts.swap(puts_);
      stop = stop_;
    }
    for (QuestionPtr& question : questions) {
      open_.push_back(question);
      send({"PTTL", question->name},
           [question](const redisReply* reply) { question->left = time_left(reply); });
      // No more than is wanted: a value of another's may be long.
      send({"GETRANGE", question->name, "0", std::to_string(options_.max_value)},
           [this, question](const redisReply* reply) { take_value(*question, reply); });
    }
    for (Put& put : puts) {
      const size_t size = put.value.size();
      const Time sent = clock_.now();
      send({"SET", std::move(put.name), std::move(put.value), "PX",
            std::to_string(options_.keep.count())},
           [this, size, sent](const redisReply* reply) { take_receipt(size, sent, reply); });
    }
    return stop;
  }

  void send(const std::vector<std::string>& command, RedisConnection::Answer answer) {
    if (!connection_) return answer(nullptr);
    connection_->send(command, clock_.now(), std::move(answer));
  }

  // Redis says -1 of what it keeps for ever, -2 of what it has not got.
  static Duration time_left(const redisReply* reply) {
    if (!reply || reply->type != REDIS_REPLY_INTEGER) return {};
    if (reply->integer == -1) return Duration::max();
    constexpr int64_t kLongest = int64_t{1} << 40;  // 34 years; no number of a peer's overflows
    return std::chrono::milliseconds(std::clamp<int64_t>(reply->integer, 0, kLongest));
  }

  void take_value(Question& question, const redisReply* reply) {
    const Time now = clock_.now();
    std::optional<Value> value;
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      --n_questions_;
      if (!question.found) return;  // too late
      if (!reply) {
        metrics_.get.lost.add();
        fail(get_, metrics_.get, now, "the connection was lost");
      } else if (reply->type == REDIS_REPLY_STRING) {
        metrics_.get.seconds.observe(seconds(now - question.asked));
        succeed(get_, metrics_.get);
        if (reply->len > 0) value = {std::string(reply->str, reply->len), question.left};
      } else {
        metrics_.get.errors.add();
        // A key of another kind is somebody else's fault, not Redis'.
        const bool other_kind =
            is_error(*reply) && std::string_view(reply->str).starts_with("WRONGTYPE");
        if (other_kind) succeed(get_, metrics_.get);
        if (!other_kind) fail(get_, metrics_.get, now, text_of(*reply));
      }
    }
    answer(question, std::move(value));
  }

  void take_receipt(size_t size, Time sent, const redisReply* reply) {
    const Time now = clock_.now();
    const std::lock_guard<std::mutex> lock(mutex_);
    put_bytes_ -= size;
    if (!reply) {
      metrics_.put.lost.add();
      fail(put_, metrics_.put, now, "the connection was lost");
    } else if (reply->type == REDIS_REPLY_STATUS) {
      metrics_.put.seconds.observe(seconds(now - sent));
      succeed(put_, metrics_.put);
    } else {
      metrics_.put.errors.add();
      fail(put_, metrics_.put, now, text_of(*reply));
    }
  }

  static void answer(Question& question, std::optional<Value> value) {
    if (const auto found = std::exchange(question.found, nullptr)) found(std::move(value));
  }

  // Whoever asked goes on without.
  void expire(Time now) {
    while (!open_.empty()) {
      const QuestionPtr question = open_.front();
      if (question->found && question->asked + options_.patience > now) break;
      open_.pop_front();
      if (!question->found) continue;
      {
        const std::lock_guard<std::mutex> lock(mutex_);
        metrics_.get.timeouts.add();
        fail(get_, metrics_.get, now, "no answer in time");
      }
      answer(*question, std::nullopt);
    }
    if (connection_ && !gone_ && now - options_.silence > connection_->oldest()) {
      gone_ = "it has said nothing for long";
    }
  }

  void connect(Time now) {
    gone_.reset();
    // Beside the longest value its own framing.
    connection_ = std::make_unique<RedisConnection>(options_.address, options_.max_value + 65536);
    const auto need = [this](const redisReply* reply) {
      if (reply && is_error(*reply)) gone_ = text_of(*reply);
    };
    if (!options_.password.empty()) {
      std::vector<std::string> command = {"AUTH"};
      if (!options_.address.user.empty()) command.push_back(options_.address.user);
      command.push_back(options_.password);
      connection_->send(command, now, need);
    }
    if (options_.address.database != 0) {
      connection_->send({"SELECT", std::to_string(options_.address.database)}, now, need);
    }
    connection_->send({"PING"}, now, [this, need](const redisReply* reply) {
      need(reply);
      if (!reply || gone_) return;
      const bool pong = reply->type == REDIS_REPLY_STATUS && std::string_view(reply->str) == "PONG";
      if (!pong) gone_ = "what listens there is no Redis";
      if (pong) begin();
    });
  }

  void begin() {
    log_.info("redis at " + options_.address.text() + ": connected");
    pause_ = options_.reconnect;
    told_lost_ = false;
    metrics_.connected.set(1);
    const std::lock_guard<std::mutex> lock(mutex_);
    up_ = !stop_;
    succeed(get_, metrics_.get);
    succeed(put_, metrics_.put);
  }

  void lose(Time now) {
    if (!connection_) return;
    const std::string why = gone_ ? *gone_ : connection_->failure();
    {
      const std::lock_guard<std::mutex> lock(mutex_);
      up_ = false;
      if (!stop_ && !std::exchange(told_lost_, true)) {
        log_.warning("redis at " + options_.address.text() + ": " + why +
                     "; going on without it, trying again");
      }
    }
    metrics_.connected.set(0);
    connection_.reset();  // answers what is open
    reconnect_at_ = now + pause_;
    pause_ = std::min(2 * pause_, options_.longest_reconnect);
  }

  void wait() {
    const Time now = clock_.now();
    Time until = connection_ ? Time::max() : reconnect_at_;
    if (!open_.empty()) until = std::min(until, open_.front()->asked + options_.patience);
    if (connection_ && connection_->oldest() != Time::max()) {
      until = std::min(until, connection_->oldest() + options_.silence);
    }
    int milliseconds = -1;
    if (until != Time::max()) {
      const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - now).count();
      milliseconds = static_cast<int>(std::clamp<int64_t>(left, 0, 60'000));
    }
    pollfd watched[] = {{bell_, POLLIN, 0}, {connection_ ? connection_->fd() : -1, POLLIN, 0}};
    if (connection_ && connection_->wants_to_write()) watched[1].events |= POLLOUT;
    ::poll(watched, 2, milliseconds);
    uint64_t rings = 0;
    if (watched[0].revents & POLLIN) {
      [[maybe_unused]] const auto read = ::read(bell_, &rings, sizeof rings);
    }
    if (connection_) {
      const auto ready = watched[1].revents;
      const bool broken = ready & (POLLERR | POLLHUP);  // reading tells how
      connection_->work(broken || (ready & POLLIN), ready & POLLOUT);
      if (gone_ || !connection_->failure().empty()) lose(clock_.now());
    }
  }

  void ring() {
    const uint64_t once = 1;
    [[maybe_unused]] const auto written = ::write(bell_, &once, sizeof once);
  }

  // With the lock held.
  void succeed(Breaker& breaker, RedisSide& side) {
    breaker.succeed();
    side.breaker_open.set(0);
  }
  void fail(Breaker& breaker, RedisSide& side, Time now, const std::string& why) {
    const bool before = breaker.open();
    breaker.fail(now);
    side.breaker_open.set(breaker.open() ? 1 : 0);
    if (breaker.open() && !before) {
      log_.warning("redis at " + options_.address.text() + ": leaving it alone for a while (" +
                   (&breaker == &get_ ? "reading: " : "writing: ") + why + ")");
    }
  }

  const RedisOptions options_;
  const SteadyClock clock_;  // what poll() waits by
  RedisMetrics metrics_;
  Log& log_;

  mutable std::mutex mutex_;  // guards what follows; nothing is called under it but the log
  Breaker get_, put_;
  bool up_ = false;
  bool stop_ = false;
  size_t n_questions_ = 0;  // in the mailbox or without a reply yet, in time or not
  size_t put_bytes_ = 0;
  std::vector<QuestionPtr> questions_;
  std::vector<Put> puts_;

  // The thread's own.
  std::unique_ptr<RedisConnection> connection_;
  std::deque<QuestionPtr> open_;     // in the order they were asked in
  std::optional<std::string> gone_;  // why the connection is of no use
  bool told_lost_ = false;
  Time reconnect_at_{};
  Duration pause_;

  const int bell_;
  std::thread thread_;
};

RedisStore::RedisStore(RedisOptions options, metrics::Registry& metrics, Log& log)
    : impl_(new Impl(std::move(options), metrics, log)) {}
RedisStore::~RedisStore() = default;

bool RedisStore::get(const std::string& name, Found found) {
  return impl_->get(name, std::move(found));
}
void RedisStore::put(std::string name, std::string value) {
  impl_->put(std::move(name), std::move(value));
}
bool RedisStore::connected() const {
  return impl_->connected();
}

}  // namespace hymt::translate::memory
