// One client's connection: reads requests one after the other, has each answered, writes the
// answer. Internal to http/.
#pragma once

#include <array>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/generic/stream_protocol.hpp>
#include <boost/asio/steady_timer.hpp>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "server/http/hub.h"
#include "server/http/reader.h"

namespace hymt::server::http {

// Lives on its socket's executor, a strand: whatever is said below happens there.
//
// The coroutine run() waits for one thing only, signal_. Reads and writes are started by it and
// completed by small handlers that note the outcome and signal; so a read is always pending while
// an answer is made or written, which is how a client that leaves is noticed at once.
class Connection : public std::enable_shared_from_this<Connection> {
 public:
  using Socket = boost::asio::generic::stream_protocol::socket;

  Connection(Socket socket, std::string client, Hub& hub);
  ~Connection();

  void start();

  // From any thread.
  void wake();  // look again at hub.draining
  void stop();  // answer 503 to what is under way, then end
  void kill();  // end now

 private:
  template <class T = void>
  using Async = boost::asio::awaitable<T>;

  static Async<> run(std::shared_ptr<Connection> self);
  Async<> serve();
  Async<bool> read_head();  // false: end without a word
  Async<bool> read_body();
  Async<> answer();
  Async<> relay();
  Async<bool> send(Exchange::Output output);
  Async<bool> write(std::string bytes);
  Async<> linger();
  Async<bool> more(Time deadline);
  Async<> wait(Time deadline);

  void plan();
  void refuse(const Error& error);
  bool reserve_body();
  void keep_reserved(uint64_t bytes);
  void dispatch();
  bool hurry(std::optional<Time> expected);
  std::string rendered(const Exchange::Output& output);
  void finish_request();

  void pump();
  void abort();
  bool ended() const { return failed_ || eof_; }

  Hub& hub_;
  Socket socket_;
  const std::string client_;
  boost::asio::steady_timer signal_;

  std::array<char, 8192> chunk_;  // where a read puts its bytes
  std::string input_;             // read and not yet parsed; at most kLookahead
  bool reading_ = false;          // a read is pending
  bool eof_ = false;              // the client will send no more
  bool failed_ = false;           // reset, timed out or too slow: nothing can be sent
  bool writing_ = false;          // a write is pending
  size_t written_ = 0;            // by the last write
  bool stopping_ = false;
  bool idle_ = true;        // between requests
  bool first_ = true;       // no request yet
  bool keep_alive_ = true;  // another request may follow

  struct Current;  // the request under way
  std::unique_ptr<Current> current_;
};

}  // namespace hymt::server::http
