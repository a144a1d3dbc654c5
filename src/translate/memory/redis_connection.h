// One connection to a Redis: commands out, replies in, in order. Sockets and protocol are hiredis'.
#pragma once

#include <hiredis/hiredis.h>

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "translate/memory/redis_address.h"

namespace hymt::translate::memory {

// One thread. Nothing waits, except that a host's name is looked up by the constructor.
class RedisConnection {
 public:
  using Answer = std::function<void(const redisReply* reply)>;  // null: the connection was lost

  // Begins to connect. A reply of more than `max_reply` bytes ends the connection.
  RedisConnection(const RedisAddress& address, size_t max_reply);
  ~RedisConnection();  // answers what is open with null

  void send(const std::vector<std::string>& command, Time now, Answer answer);
  // What the socket is ready for; calls the answers.
  void work(bool readable, bool writable);

  int fd() const { return context_ ? context_->fd : -1; }
  bool wants_to_write() const { return !connected_ || !written_; }
  // When the oldest command without a reply was sent; Time::max(): none is.
  Time oldest() const { return open_.empty() ? Time::max() : open_.front().sent; }
  const std::string& failure() const { return failure_; }  // empty: none; then of no more use

 private:
  struct Open {
    Time sent;
    Answer answer;
  };
  struct Free {
    void operator()(redisContext* context) const { redisFree(context); }
  };

  void read();
  void fail(std::string why);
  void fail_as_told();

  const size_t max_reply_;
  std::unique_ptr<redisContext, Free> context_;
  std::deque<Open> open_;
  bool connected_ = false;
  bool written_ = false;  // all commands
  std::string failure_;
};

}  // namespace hymt::translate::memory
