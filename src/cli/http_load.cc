#include "cli/http_load.h"

#include <curl/curl.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <memory>
#include <random>

namespace hymt::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr size_t kMaxReply = 16 << 20;  // bytes kept of a reply
constexpr size_t kMaxUnderWay = 10000;  // open loop: past this the run ends with an error

// curl's handles are all void pointers to the compiler: a deleter for each.
template <auto cleanup>
struct Deleter {
  void operator()(void* handle) const { cleanup(handle); }
};
using Easy = std::unique_ptr<CURL, Deleter<curl_easy_cleanup>>;
using Multi = std::unique_ptr<CURLM, Deleter<curl_multi_cleanup>>;
struct ListDeleter {
  void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};

// One request under way, on a handle that is used again for later ones.
struct Transfer {
  Easy easy{curl_easy_init()};
  LoadSample sample;
  Clock::time_point begin;

  double now() const { return std::chrono::duration<double>(Clock::now() - begin).count(); }
};

size_t take_bytes(char* data, size_t size, size_t n, void* user) {
  auto& transfer = *static_cast<Transfer*>(user);
  auto& sample = transfer.sample;
  if (sample.first_byte == 0) sample.first_byte = transfer.now();
  if (sample.reply.size() + size * n > kMaxReply) return 0;  // ends the transfer
  sample.reply.append(data, size * n);
  return size * n;
}

// curl's transfers on epoll: what a reply costs does not grow with the connections that wait, so
// that a thousand callers leave the machine to the service that is being measured.
class Transfers {
 public:
  Transfers() {
    curl_multi_setopt(multi_.get(), CURLMOPT_MAXCONNECTS, long{4096});
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(multi_.get(), CURLMOPT_SOCKETDATA, this);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(multi_.get(), CURLMOPT_TIMERDATA, this);
  }
  ~Transfers() {
    multi_.reset();
    close(epoll_);
  }
  Transfers(const Transfers&) = delete;
  Transfers& operator=(const Transfers&) = delete;

  bool usable() const { return epoll_ >= 0 && multi_; }
  CURLM* handle() const { return multi_.get(); }

  // Lets them advance; waits for that, at most so long (seconds).
  void advance(double longest) {
    const double until_due = timer_set_ ? seconds(due_ - Clock::now()) : longest;
    const double pause = std::clamp(std::min(longest, until_due), 0.0, 0.1);
    std::array<epoll_event, 256> events;
    const int n = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()),
                             static_cast<int>(pause * 1000));
    int n_running = 0;
    for (int i = 0; i < n; ++i) {
      const epoll_event& event = events[static_cast<size_t>(i)];
      const int what = ((event.events & EPOLLIN) != 0 ? CURL_CSELECT_IN : 0) |
                       ((event.events & EPOLLOUT) != 0 ? CURL_CSELECT_OUT : 0) |
                       ((event.events & (EPOLLERR | EPOLLHUP)) != 0 ? CURL_CSELECT_ERR : 0);
      curl_multi_socket_action(multi_.get(), event.data.fd, what, &n_running);
    }
    if (timer_set_ && Clock::now() >= due_) {
      timer_set_ = false;
      curl_multi_socket_action(multi_.get(), CURL_SOCKET_TIMEOUT, 0, &n_running);
    }
  }

 private:
  static double seconds(Clock::duration duration) {
    return std::chrono::duration<double>(duration).count();
  }

  static int on_socket(CURL*, curl_socket_t fd, int what, void* user, void* known) {
    auto& self = *static_cast<Transfers*>(user);
    if (what == CURL_POLL_REMOVE) return epoll_ctl(self.epoll_, EPOLL_CTL_DEL, fd, nullptr), 0;
    epoll_event event{};
    event.data.fd = fd;
    if ((what & CURL_POLL_IN) != 0) event.events |= EPOLLIN;
    if ((what & CURL_POLL_OUT) != 0) event.events |= EPOLLOUT;
    epoll_ctl(self.epoll_, known ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    curl_multi_assign(self.multi_.get(), fd, &self);  // any value but null: it has been added
    return 0;
  }

  static int on_timer(CURLM*, long ms, void* user) {
    auto& self = *static_cast<Transfers*>(user);
    self.timer_set_ = ms >= 0;
    self.due_ = Clock::now() + std::chrono::milliseconds(ms);
    return 0;
  }

  const int epoll_ = epoll_create1(EPOLL_CLOEXEC);
  Multi multi_{curl_multi_init()};
  bool timer_set_ = false;
  Clock::time_point due_;
};

class Load {
 public:
  Load(const LoadPlan& plan, const std::function<void(LoadSample&&)>& done)
      : plan_(plan), done_(done), random_(plan.seed) {
    headers_.reset(curl_slist_append(nullptr, "Content-Type: application/json"));
    if (plan.computed_now) curl_slist_append(headers_.get(), "Cache-Control: no-cache");
  }
  ~Load() {
    for (const auto& transfer : under_way_) {
      curl_multi_remove_handle(transfers_.handle(), transfer->easy.get());
    }
  }

  Result<void> run() {
    if (!transfers_.usable()) {
      return fail(Code::unavailable, "cannot open another file: raise the limit (ulimit -n)");
    }
    double next_arrival = plan_.rate > 0 ? gap() : 0;
    for (;;) {
      if (plan_.rate > 0) {
        for (; next_arrival <= now() && more(next_arrival); next_arrival += gap()) {
          HYMT_TRY(send(next_arrival));
        }
      } else {
        const auto callers = static_cast<size_t>(plan_.concurrency);
        while (under_way_.size() < callers && more(now())) HYMT_TRY(send(now()));
      }
      if (under_way_.empty() && !more(now())) return {};
      transfers_.advance(plan_.rate > 0 && more(next_arrival) ? next_arrival - now() : 1);
      collect();
    }
  }

 private:
  double now() const { return std::chrono::duration<double>(Clock::now() - begin_).count(); }
  bool more(double arrival) const {
    return arrival < plan_.seconds && (plan_.max_requests == 0 || n_sent_ < plan_.max_requests);
  }
  double gap() { return std::exponential_distribution<double>(plan_.rate)(random_); }

  Result<void> send(double arrival) {
    if (under_way_.size() >= kMaxUnderWay) {
      return fail(Code::unavailable, "more than " + std::to_string(kMaxUnderWay) +
                                         " requests are unanswered: lower --rate");
    }
    std::unique_ptr<Transfer> transfer;
    if (idle_.empty()) {
      transfer = std::make_unique<Transfer>();
    } else {
      transfer = std::move(idle_.back());
      idle_.pop_back();
    }
    transfer->begin = begin_;
    transfer->sample = {};
    transfer->sample.body = static_cast<size_t>(n_sent_++) % plan_.bodies.size();
    transfer->sample.started = arrival;
    const std::string& body = plan_.bodies[transfer->sample.body];
    CURL* easy = transfer->easy.get();
    curl_easy_setopt(easy, CURLOPT_URL, plan_.url.c_str());
    curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers_.get());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDS, body.data());
    curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE, static_cast<long>(body.size()));
    curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, take_bytes);
    curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer.get());
    curl_easy_setopt(easy, CURLOPT_PRIVATE, transfer.get());
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_TIMEOUT, 600L);
    if (curl_multi_add_handle(transfers_.handle(), easy) != CURLM_OK) {
      return fail(Code::internal, "cannot start another transfer");
    }
    under_way_.push_back(std::move(transfer));
    return {};
  }

  void collect() {
    int left = 0;
    while (const CURLMsg* message = curl_multi_info_read(transfers_.handle(), &left)) {
      if (message->msg != CURLMSG_DONE) continue;
      const CURLcode code = message->data.result;
      CURL* easy = message->easy_handle;
      Transfer* found = nullptr;
      curl_easy_getinfo(easy, CURLINFO_PRIVATE, &found);
      curl_multi_remove_handle(transfers_.handle(), easy);
      LoadSample& sample = found->sample;
      sample.ended = now();
      if (sample.first_byte == 0) sample.first_byte = sample.ended;
      long status = 0;
      curl_easy_getinfo(easy, CURLINFO_RESPONSE_CODE, &status);
      sample.status = code == CURLE_OK ? static_cast<int>(status) : 0;
      if (code != CURLE_OK) sample.failure = curl_easy_strerror(code);
      done_(std::move(sample));
      const auto at = std::find_if(under_way_.begin(), under_way_.end(),
                                   [&](const auto& one) { return one.get() == found; });
      idle_.push_back(std::move(*at));
      *at = std::move(under_way_.back());
      under_way_.pop_back();
    }
  }

  const LoadPlan& plan_;
  const std::function<void(LoadSample&&)>& done_;
  const Clock::time_point begin_ = Clock::now();
  Transfers transfers_;
  std::unique_ptr<curl_slist, ListDeleter> headers_;
  std::vector<std::unique_ptr<Transfer>> under_way_, idle_;
  std::mt19937_64 random_;
  int64_t n_sent_ = 0;
};

}  // namespace

Result<void> run_load(const LoadPlan& plan, const std::function<void(LoadSample&&)>& done) {
  const std::unique_ptr<CURLU, decltype(&curl_url_cleanup)> url(curl_url(), curl_url_cleanup);
  if (curl_url_set(url.get(), CURLUPART_URL, plan.url.c_str(), 0) != CURLUE_OK) {
    return fail(Code::invalid_argument, plan.url + " is no URL like http://127.0.0.1:7860");
  }
  return Load(plan, done).run();
}

}  // namespace hymt::cli
