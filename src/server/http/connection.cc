#include "server/http/connection.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <ctime>

#include "server/http/writer.h"

namespace hymt::server::http {
namespace {

namespace asio = boost::asio;
using boost::system::error_code;

// What may be read ahead of the request under way. It is enough to notice that the client left
// after pipelining a few requests, and no more than a head or the end of a chunked body needs.
constexpr size_t kLookahead = 64 * 1024;

constexpr std::chrono::seconds kLongestLinger{30};

Time now() {
  return std::chrono::steady_clock::now();
}

double seconds_since(Time time) {
  return std::chrono::duration<double>(now() - time).count();
}

void answer_with(const Route& route, const std::shared_ptr<Exchange>& exchange) {
  if (exchange->over()) return;
  try {
    route.answer(exchange);
  } catch (const std::exception&) {  // a library's: out of memory, at worst
    exchange->fail({Code::internal, "the server failed to answer this request", {}});
  }
}

}  // namespace

struct Connection::Current {
  explicit Current(const Options& options) : reader(options) {}

  RequestReader reader;
  Site::Plan plan;
  std::shared_ptr<Exchange> exchange;
  bool complete = false;  // all of the answer is sent
  bool broken = false;    // what follows on this connection cannot be understood
  uint64_t reserved = 0;  // its part of Hub::bodies
  bool streaming = false;
  Framing framing = Framing::length;

  // For its record.
  bool begun = false;
  std::string method, target;
  Time arrived{};
  int version = 11;
  int status = 0;
  size_t bytes = 0;
};

Connection::Connection(Socket socket, std::string client, Hub& hub)
    : hub_(hub),
      socket_(std::move(socket)),
      client_(std::move(client)),
      signal_(socket_.get_executor()) {}

Connection::~Connection() {
  if (current_) finish_request();
  const std::lock_guard<std::mutex> lock(hub_.mutex);
  hub_.connections.erase(this);
  hub_.changed.notify_all();
}

// Known to the hub from here on, not from construction: only now is there a shared pointer to it.
void Connection::start() {
  {
    const std::lock_guard<std::mutex> lock(hub_.mutex);
    hub_.connections.insert(this);
  }
  asio::co_spawn(socket_.get_executor(), run(shared_from_this()), asio::detached);
}

void Connection::wake() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->signal_.cancel(); });
}

void Connection::stop() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] {
    self->stopping_ = true;
    self->signal_.cancel();
  });
}

void Connection::kill() {
  asio::post(socket_.get_executor(), [self = shared_from_this()] { self->abort(); });
}

Connection::Async<> Connection::run(std::shared_ptr<Connection> self) {
  try {
    co_await self->serve();
  } catch (const std::exception&) {  // a library's: out of memory, at worst
  }
  self->abort();
}

Connection::Async<> Connection::serve() {
  while (keep_alive_) {
    idle_ = true;
    current_ = std::make_unique<Current>(hub_.options);
    bool whole = co_await read_head();
    if (whole) whole = co_await read_body();
    if (whole) co_await answer();
    const bool complete = current_->complete;
    finish_request();
    // Nothing may follow half an answer, or stand in the place of one that was not given.
    if (!complete || failed_) co_return;
  }
  co_await linger();
}

// ---- Reading --------------------------------------------------------------------------------

Connection::Async<bool> Connection::read_head() {
  const auto& options = hub_.options;
  Time deadline = now() + (first_ ? options.header_time : options.idle_time);
  while (input_.empty()) {
    const bool arrived = co_await more(deadline);
    if (!arrived) co_return false;
  }
  idle_ = first_ = false;
  deadline = now() + options.header_time;
  while (true) {
    size_t used = 0;
    const auto step = current_->reader.read(input_, used);
    input_.erase(0, used);
    if (!step) {
      current_->broken = true;
      refuse(step.error());
      co_return true;
    }
    if (*step == RequestReader::Step::head) break;
    const bool arrived = co_await more(deadline);
    if (!arrived) co_return false;
  }
  plan();
  co_return true;
}

// What the head alone decides.
void Connection::plan() {
  Request& head = current_->reader.request();
  head.client = client_;
  current_->method = head.method;
  current_->target = head.target;
  current_->arrived = head.arrived;
  current_->version = head.version;
  current_->plan = hub_.site.plan(head);
  current_->begun = true;
  hub_.site.observer().on_begin();
  keep_alive_ = current_->reader.keep_alive();
  if (!current_->reader.has_body()) return;
  if (current_->reader.announced().value_or(0) > hub_.options.max_body) {
    current_->broken = true;
    refuse(body_too_large(hub_.options));
  } else if (!reserve_body()) {
    current_->broken = true;
    refuse({Code::unavailable, "too many large requests at once: try again later", {}});
  } else if (current_->plan.refusal && current_->reader.expects_continue()) {
    current_->broken = true;  // the body may follow or not, as the client likes
  }
}

// Takes over from whatever was planned.
void Connection::refuse(const Error& error) {
  Current& current = *current_;
  if (!current.begun) {  // not even a head
    current.begun = true;
    current.arrived = now();
    current.plan.errors = &hub_.site.errors();
    hub_.site.observer().on_begin();
  }
  current.plan.route = nullptr;
  current.plan.refusal = current.plan.errors->reply(error);
}

// A bound on what all clients together can make us keep in memory.
bool Connection::reserve_body() {
  const uint64_t bytes = current_->reader.announced().value_or(hub_.options.max_body);
  if (hub_.bodies.fetch_add(bytes) + bytes > hub_.options.max_bodies) {
    hub_.bodies.fetch_sub(bytes);
    return false;
  }
  current_->reserved = bytes;
  return true;
}

// Of a chunked body, whose size nobody announced, only what there was.
void Connection::keep_reserved(uint64_t bytes) {
  hub_.bodies.fetch_sub(current_->reserved - bytes);
  current_->reserved = bytes;
}

Connection::Async<bool> Connection::read_body() {
  Current& current = *current_;
  if (current.broken || !current.reader.has_body()) co_return true;
  if (current.reader.expects_continue()) {
    const bool told = co_await write(std::string(kContinue));
    if (!told) co_return false;
  }
  const Time last = now() + hub_.options.body_time;
  while (true) {
    size_t used = 0;
    const auto step = current.reader.read(input_, used);
    input_.erase(0, used);
    if (step && *step == RequestReader::Step::complete) {
      keep_reserved(current.reader.request().body.size());
      co_return true;
    }
    if (!step || input_.size() >= kLookahead) {
      current.broken = true;
      refuse(step ? Error{Code::invalid_argument, "the body's chunks are not valid", {}}
                  : step.error());
      co_return true;
    }
    const bool arrived = co_await more(std::min(last, now() + hub_.options.idle_time));
    if (!arrived) co_return false;
  }
}

// Waits until more of the client's bytes are in input_. False: there will be none, or not in time.
Connection::Async<bool> Connection::more(Time deadline) {
  const size_t before = input_.size();
  while (input_.size() == before) {
    if (ended() || stopping_ || now() >= deadline) co_return false;
    if (idle_ && hub_.draining) co_return false;
    pump();
    if (!reading_) co_return false;
    co_await wait(deadline);
  }
  co_return true;
}

// ---- Answering ------------------------------------------------------------------------------

Connection::Async<> Connection::answer() {
  Current& current = *current_;
  if (current.plan.refusal) {
    Exchange::Output output;
    output.head = std::move(current.plan.refusal);
    output.finished = true;
    if (current.broken) output.head->close = true;
    current.complete = co_await send(std::move(output));
    co_return;
  }
  dispatch();
  co_await relay();
  current.exchange->close();
}

void Connection::dispatch() {
  Current& current = *current_;
  current.exchange = std::make_shared<Exchange>(std::move(current.reader.request()),
                                                *current.plan.errors, hub_.options.max_backlog);
  const auto exchange = current.exchange;
  exchange->attach([executor = socket_.get_executor(), weak = weak_from_this()] {
    asio::post(executor, [weak] {
      if (const auto self = weak.lock()) self->signal_.cancel();
    });
  });
  const Route& route = *current.plan.route;
  if (route.on_worker) {
    asio::post(hub_.workers, [&route, exchange] { answer_with(route, exchange); });
  } else {
    answer_with(route, exchange);
  }
}

// From the exchange to the client until one of them ends.
Connection::Async<> Connection::relay() {
  const auto exchange = current_->exchange;
  while (true) {
    Exchange::Output output = exchange->take();
    if (exchange->overflowed()) co_return abort();
    const bool finished = output.finished;
    const bool any = output.head || !output.bytes.empty() || finished;
    if (any) {
      const bool sent = co_await send(std::move(output));
      current_->complete = sent && finished;
      if (!sent || finished) co_return;
      continue;  // more may have come meanwhile
    }
    if (ended()) co_return;
    const auto expected = exchange->expected();
    if (hurry(expected)) continue;
    pump();
    co_await wait(expected ? *expected + hub_.options.late_time : Time::max());
  }
}

// Ends what takes too long.
bool Connection::hurry(std::optional<Time> expected) {
  Exchange& exchange = *current_->exchange;
  if (stopping_) {
    exchange.fail({Code::unavailable, "the server is shutting down: try again later", {}});
    return true;
  }
  if (expected && now() >= *expected + hub_.options.late_time) {
    exchange.fail({Code::deadline, "the deadline passed before the answer was complete", {}});
    return true;
  }
  return false;
}

Connection::Async<bool> Connection::send(Exchange::Output output) {
  std::string bytes = rendered(output);
  if (bytes.empty()) co_return true;
  const bool written = co_await write(std::move(bytes));
  co_return written;
}

std::string Connection::rendered(const Exchange::Output& output) {
  Current& current = *current_;
  std::string bytes;
  if (output.head) {
    current.status = output.head->status;
    current.streaming = output.streaming;
    if (output.streaming) {
      current.framing = current.version == 11 ? Framing::chunked : Framing::to_close;
    }
    keep_alive_ = keep_alive_ && !output.head->close && !stopping_ && !hub_.draining &&
                  current.framing != Framing::to_close;
    bytes = response_head(*output.head, current.framing, keep_alive_, std::time(nullptr));
    if (!output.streaming && current.method != "HEAD") bytes += output.head->body;
  }
  if (current.streaming && !output.bytes.empty()) {
    bytes += current.framing == Framing::chunked ? chunk(output.bytes) : output.bytes;
  }
  if (output.finished && current.framing == Framing::chunked) bytes += kLastChunk;
  return bytes;
}

Connection::Async<bool> Connection::write(std::string bytes) {
  size_t done = 0;
  while (done < bytes.size() && !failed_) {
    writing_ = true;
    socket_.async_write_some(asio::buffer(bytes.data() + done, bytes.size() - done),
                             [self = shared_from_this()](const error_code& error, size_t n) {
                               self->writing_ = false;
                               self->written_ = n;
                               if (error) self->failed_ = true;
                               self->signal_.cancel();
                             });
    const Time deadline = now() + hub_.options.write_time;
    while (writing_) {
      const auto& exchange = current_->exchange;
      if (now() >= deadline || (exchange && exchange->overflowed())) abort();
      pump();
      const Time until = failed_ ? Time::max() : deadline;
      co_await wait(until);
    }
    done += written_;
    current_->bytes += written_;
  }
  co_return !failed_;
}

void Connection::finish_request() {
  if (!current_) return;
  const Current& current = *current_;
  if (current.exchange) current.exchange->close();
  hub_.bodies.fetch_sub(current.reserved);
  if (current.broken) keep_alive_ = false;
  if (current.begun) {
    Record record;
    record.method = current.method;
    record.target = current.target;
    record.label = current.plan.label;
    record.client = client_;
    record.status = current.status;
    record.bytes = current.bytes;
    record.seconds = seconds_since(current.arrived);
    record.gone = !current.complete;
    hub_.site.observer().on_end(record);
  }
  current_.reset();
  if (input_.empty()) input_.shrink_to_fit();
}

// A socket closed while bytes of the client are unread resets the connection, and the client may
// never see the reply. So: say that nothing follows, and read on for a moment.
Connection::Async<> Connection::linger() {
  if (ended() || stopping_) co_return;
  error_code ignored;
  socket_.shutdown(Socket::shutdown_send, ignored);
  idle_ = false;
  const Time last = now() + kLongestLinger;
  while (true) {
    input_.clear();
    const bool arrived = co_await more(std::min(last, now() + hub_.options.linger_time));
    if (!arrived) co_return;
  }
}

// ---- The socket -----------------------------------------------------------------------------

void Connection::pump() {
  if (reading_ || ended() || input_.size() >= kLookahead) return;
  reading_ = true;
  socket_.async_read_some(asio::buffer(chunk_),
                          [self = shared_from_this()](const error_code& error, size_t n) {
                            self->reading_ = false;
                            self->input_.append(self->chunk_.data(), n);
                            if (error) self->eof_ = true;
                            if (error && error != asio::error::eof) self->failed_ = true;
                            self->signal_.cancel();
                          });
}

Connection::Async<> Connection::wait(Time deadline) {
  error_code ignored;
  signal_.expires_at(deadline);
  co_await signal_.async_wait(asio::redirect_error(asio::use_awaitable, ignored));
}

void Connection::abort() {
  failed_ = true;
  error_code ignored;
  socket_.close(ignored);
  signal_.cancel();
}

}  // namespace hymt::server::http
