#include "translate/memory/redis_connection.h"

#include <utility>

namespace hymt::translate::memory {

RedisConnection::RedisConnection(const RedisAddress& address, size_t max_reply)
    : max_reply_(max_reply),
      context_(address.path.empty() ? redisConnectNonBlock(address.host.c_str(), address.port)
                                    : redisConnectUnixNonBlock(address.path.c_str())) {
  if (!context_) {
    fail("no memory for a connection");
  } else if (context_->err != 0) {
    fail_as_told();
  }
}

RedisConnection::~RedisConnection() {
  while (!open_.empty()) {
    const Answer answer = std::move(open_.front().answer);
    open_.pop_front();
    answer(nullptr);
  }
}

void RedisConnection::send(const std::vector<std::string>& command, Time now, Answer answer) {
  std::vector<const char*> words;
  std::vector<size_t> sizes;
  for (const std::string& word : command) {
    words.push_back(word.data());
    sizes.push_back(word.size());
  }
  open_.push_back({now, std::move(answer)});
  if (!failure_.empty()) return;  // the destructor answers
  written_ = false;
  if (redisAppendCommandArgv(context_.get(), static_cast<int>(words.size()), words.data(),
                             sizes.data()) != REDIS_OK) {
    fail_as_told();
  }
}

void RedisConnection::work(bool readable, bool writable) {
  if (failure_.empty() && readable) read();
  if (failure_.empty() && writable) {
    connected_ = true;  // if it is not, writing fails
    int written = 0;
    if (redisBufferWrite(context_.get(), &written) != REDIS_OK) return fail_as_told();
    written_ = written != 0;
  }
}

void RedisConnection::read() {
  if (redisBufferRead(context_.get()) != REDIS_OK) return fail_as_told();
  while (true) {
    void* raw = nullptr;
    if (redisGetReplyFromReader(context_.get(), &raw) != REDIS_OK) return fail_as_told();
    if (!raw) break;
    const std::unique_ptr<void, void (*)(void*)> reply(raw, freeReplyObject);
    if (open_.empty()) return fail("it said something that nobody had asked");
    const Answer answer = std::move(open_.front().answer);
    open_.pop_front();
    answer(static_cast<const redisReply*>(raw));
  }
  if (context_->reader->len > max_reply_) fail("its reply is too long");
}

void RedisConnection::fail(std::string why) {
  failure_ = std::move(why);
}

void RedisConnection::fail_as_told() {
  fail(context_->errstr[0] ? context_->errstr : "the connection failed");
}

}  // namespace hymt::translate::memory
