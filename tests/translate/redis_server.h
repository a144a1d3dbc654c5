// A Redis of the test's own, in a folder of its own.
#pragma once

#include <gtest/gtest.h>
#include <hiredis/hiredis.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "support/temp_folder.h"
#include "translate/memory/redis_address.h"

namespace hymt::test {

// Debian's redis-server; empty where it is not installed.
inline std::string redis_program() {
  for (const char* path : {"/usr/bin/redis-server", "/usr/local/bin/redis-server"}) {
    if (std::filesystem::exists(path)) return path;
  }
  return {};
}

class RedisServer {
 public:
  explicit RedisServer(std::vector<std::string> options = {}) : options_(std::move(options)) {
    start();
  }
  ~RedisServer() { stop(); }
  RedisServer(const RedisServer&) = delete;
  RedisServer& operator=(const RedisServer&) = delete;

  std::string path() const { return folder_ / "redis.sock"; }
  translate::memory::RedisAddress address() const {
    translate::memory::RedisAddress address;
    address.path = path();
    return address;
  }

  void start() {
    std::vector<std::string> words = {redis_program(),
                                      "--port",
                                      "0",
                                      "--unixsocket",
                                      path(),
                                      "--save",
                                      "",
                                      "--appendonly",
                                      "no",
                                      "--dir",
                                      folder_.path(),
                                      "--enable-debug-command",
                                      "yes",
                                      "--loglevel",
                                      "warning",
                                      "--logfile",
                                      folder_ / "log"};
    words.insert(words.end(), options_.begin(), options_.end());
    std::vector<char*> arguments;
    for (auto& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ASSERT_EQ(posix_spawn(&process_, words[0].c_str(), nullptr, nullptr, arguments.data(), environ),
              0);
    while (!connect()) {
      ASSERT_EQ(waitpid(process_, nullptr, WNOHANG), 0) << "redis-server ended at once";
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    }
  }
  void stop() {
    if (process_ == 0) return;
    ::kill(process_, SIGKILL);
    waitpid(process_, nullptr, 0);
    process_ = 0;
  }
  void freeze() { ::kill(process_, SIGSTOP); }
  void thaw() { ::kill(process_, SIGCONT); }

  // What it says to a command: text, a number as text, or "ERR ...".
  std::string ask(const std::vector<std::string>& command) {
    const auto connection = connect();
    if (!connection) return "no connection";
    std::vector<const char*> words;
    std::vector<size_t> sizes;
    for (const auto& word : command) words.push_back(word.data()), sizes.push_back(word.size());
    const std::unique_ptr<redisReply, void (*)(void*)> reply(
        static_cast<redisReply*>(redisCommandArgv(connection.get(), static_cast<int>(words.size()),
                                                  words.data(), sizes.data())),
        freeReplyObject);
    if (!reply) return "no reply";
    if (reply->type == REDIS_REPLY_INTEGER) return std::to_string(reply->integer);
    return reply->str ? std::string(reply->str, reply->len) : "";
  }

 private:
  std::unique_ptr<redisContext, void (*)(redisContext*)> connect() const {
    std::unique_ptr<redisContext, void (*)(redisContext*)> context(redisConnectUnix(path().c_str()),
                                                                   redisFree);
    if (context && context->err != 0) context.reset();
    return context;
  }
  TempFolder folder_;
  const std::vector<std::string> options_;
  pid_t process_ = 0;
};

}  // namespace hymt::test
