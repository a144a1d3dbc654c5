// One request being answered: the seam between handlers and the connection.
//
// A handler answers with respond(), or with start(), write()... and finish(); now or later, from
// any thread. What it says after the client has gone is ignored, so it need not ask.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/result.h"
#include "server/http/message.h"

namespace hymt::server::http {

// How a dialect writes an error: as a reply, and as what ends a stream that has begun.
struct ErrorFormat {
  Response (*reply)(const Error& error);
  std::string (*event)(const Error& error);
};

// Thread-safe. What is held is destroyed by close() on the connection's thread, never on a thread
// that is answering: that may be the engine's, in the middle of a step.
class Exchange {
 public:
  // `max_backlog`: bytes of a stream that may wait for a slow reader, besides the largest piece.
  Exchange(Request request, const ErrorFormat& errors, size_t max_backlog);

  // For handlers. -----------------------------------------------------------------------------
  const Request& request() const { return request_; }

  void respond(Response response);
  // The same, made on the connection's thread: for what is long to write down.
  void respond_by(std::function<Response()> make);

  void start(Response head);  // status and headers of a stream; its body is empty
  void write(std::string_view bytes);
  void finish();

  // An error reply, or the error event and the end of a stream.
  void fail(const Error& error);

  // Kept until the answer is complete or the client has gone, whichever is first: what cancels the
  // work when it is destroyed.
  void hold(std::shared_ptr<void> work);

  // When this passes the connection answers `deadline` itself.
  void expect_by(Time time);

  bool over() const;  // nobody listens any more

  // For the connection. -----------------------------------------------------------------------
  struct Output {
    std::optional<Response> head;  // of a stream if `streaming`, else complete
    bool streaming = false;
    std::string bytes;      // of a stream
    bool finished = false;  // nothing follows
  };

  // `wake` is called, from any thread, when take() has something new. It runs under the lock, so
  // that none is under way once close() has returned: it must only post.
  void attach(std::function<void()> wake);
  Output take();
  bool overflowed() const;  // the reader was too slow; the answer is incomplete
  std::optional<Time> expected() const;
  // Ends it: drops what is held and what is unsent, forgets `wake`.
  void close();

 private:
  void notify();  // under the lock

  const Request request_;
  const ErrorFormat& errors_;
  const size_t max_backlog_;

  mutable std::mutex mutex_;  // guards all that follows
  enum class State { waiting, streaming, finished } state_ = State::waiting;
  std::function<Response()> make_;
  std::optional<Response> head_;
  bool streamed_ = false;
  std::string bytes_;
  size_t largest_ = 0;  // piece written
  bool overflow_ = false;
  bool closed_ = false;
  bool notified_ = false;
  std::optional<Time> expected_;
  std::function<void()> wake_;
  std::shared_ptr<void> held_;
};

}  // namespace hymt::server::http
