#include "server/http/exchange.h"

#include <algorithm>

#include "base/check.h"

namespace hymt::server::http {

Exchange::Exchange(Request request, const ErrorFormat& errors, size_t max_backlog)
    : request_(std::move(request)), errors_(errors), max_backlog_(max_backlog) {}

void Exchange::respond(Response response) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::waiting) return;
  head_ = std::move(response);
  state_ = State::finished;
  notify();
}

void Exchange::respond_by(std::function<Response()> make) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::waiting) return;
  make_ = std::move(make);
  state_ = State::finished;
  notify();
}

void Exchange::start(Response head) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::waiting) return;
  head_ = std::move(head);
  streamed_ = true;
  state_ = State::streaming;
  notify();
}

void Exchange::write(std::string_view bytes) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::streaming || closed_ || overflow_) return;
  // A piece may be larger than the bound, and is not held against the reader: it had no time yet.
  largest_ = std::max(largest_, bytes.size());
  if (bytes_.size() > max_backlog_ + largest_) {
    overflow_ = true;
    bytes_ = {};
    notified_ = false;  // who is busy writing does not take(), but must hear of this
  } else {
    bytes_ += bytes;
  }
  notify();
}

void Exchange::finish() {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state_ != State::streaming) return;
  state_ = State::finished;
  notify();
}

void Exchange::fail(const Error& error) {
  const std::lock_guard<std::mutex> lock(mutex_);
  if (state_ == State::finished) return;
  if (state_ == State::waiting) {
    head_ = errors_.reply(error);
  } else if (!overflow_) {
    bytes_ += errors_.event(error);
  }
  state_ = State::finished;
  notify();
}

void Exchange::hold(std::shared_ptr<void> work) {
  const std::lock_guard<std::mutex> lock(mutex_);
  HYMT_CHECK(!held_);
  if (!closed_) held_.swap(work);
  // Where it is closed already, `work` is destroyed by the caller's thread, after the lock.
}

void Exchange::expect_by(Time time) {
  const std::lock_guard<std::mutex> lock(mutex_);
  expected_ = time;
  notify();
}

bool Exchange::over() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return closed_ || state_ == State::finished;
}

void Exchange::attach(std::function<void()> wake) {
  const std::lock_guard<std::mutex> lock(mutex_);
  wake_ = std::move(wake);
}

Exchange::Output Exchange::take() {
  Output out;
  std::function<Response()> make;
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    notified_ = false;
    out.streaming = streamed_;
    out.head = std::move(head_);
    head_.reset();
    out.bytes = std::move(bytes_);
    bytes_ = {};
    out.finished = state_ == State::finished;
    make = std::move(make_);
    make_ = nullptr;
  }
  if (make) out.head = make();
  return out;
}

bool Exchange::overflowed() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return overflow_;
}

std::optional<Time> Exchange::expected() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  return expected_;
}

void Exchange::close() {
  std::shared_ptr<void> held;
  std::function<void()> wake;
  const std::lock_guard<std::mutex> lock(mutex_);
  closed_ = true;
  held.swap(held_);
  wake.swap(wake_);
  bytes_ = {};
}

// One call of `wake` is enough until the next take().
void Exchange::notify() {
  if (!wake_ || notified_) return;
  notified_ = true;
  wake_();
}

}  // namespace hymt::server::http
