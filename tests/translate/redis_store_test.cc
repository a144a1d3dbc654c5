// The shared store against a real Redis, in each of its bad hours. Skipped where redis-server is
// not installed.
#include "translate/memory/redis_store.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>

#include "translate/redis_server.h"

namespace hymt::translate::memory {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;
using test::RedisServer;

// Waits for what another thread or process will do.
void until(const std::function<bool()>& condition) {
  while (!condition()) std::this_thread::sleep_for(milliseconds(1));
}

// What the store says to one question; "-": not to be asked.
std::optional<std::string> ask(RedisStore& store, const std::string& name,
                               Duration* left = nullptr) {
  std::mutex mutex;
  std::condition_variable changed;
  bool answered = false;
  std::optional<std::string> value;
  const bool asked = store.get(name, [&](std::optional<Store::Value> found) {
    const std::lock_guard<std::mutex> lock(mutex);
    EXPECT_FALSE(answered);
    if (found) value = found->bytes;
    if (found && left) *left = found->left;
    answered = true;
    changed.notify_all();
  });
  if (!asked) return "-";
  std::unique_lock<std::mutex> lock(mutex);
  changed.wait(lock, [&] { return answered; });
  return value;
}

class RedisStoreTest : public testing::Test {
 protected:
  void SetUp() override {
    if (test::redis_program().empty()) GTEST_SKIP() << "needs redis-server (Debian: redis-server)";
  }

  // A patient one, so that a busy machine changes nothing; tests of time-outs take less.
  RedisOptions options(const RedisServer& server) {
    RedisOptions options;
    options.address = server.address();
    options.patience = seconds(60);
    options.breaker = {3, milliseconds(20), milliseconds(100)};
    options.reconnect = milliseconds(5);
    options.longest_reconnect = milliseconds(20);
    return options;
  }
  double metric(const std::string& line) {
    const std::string text = metrics_.render();
    const size_t at = text.find("\n" + line + " ");
    EXPECT_NE(at, std::string::npos) << line;
    return at == std::string::npos ? -1 : std::stod(text.substr(at + line.size() + 2));
  }
  metrics::Registry metrics_;
  Log log_{Log::Level::off};
};

void wait_for(RedisStore& store, bool connected = true) {
  until([&] { return store.connected() == connected; });
}

// Puts until it is kept: a put may be dropped.
void keep(RedisStore& store, RedisServer& server, const std::string& name,
          const std::string& value) {
  until([&] {
    store.put(name, value);
    return server.ask({"EXISTS", name}) == "1";
  });
}

TEST_F(RedisStoreTest, GivesBackWhatWasPut) {
  RedisServer server;
  RedisStore store(options(server), metrics_, log_);
  wait_for(store);
  EXPECT_EQ(ask(store, "nothing"), std::nullopt);
  const std::string bytes("any\0bytes\r\n\xff", 12);
  keep(store, server, "a", bytes);
  EXPECT_EQ(ask(store, "a"), bytes);
  RedisStore replica(options(server), metrics_, log_);
  wait_for(replica);
  EXPECT_EQ(ask(replica, "a"), bytes);
  EXPECT_EQ(metric("hymt_redis_connected"), 1);
  EXPECT_EQ(metric("hymt_redis_breaker_open{operation=\"get\"}"), 0);
}

TEST_F(RedisStoreTest, ValuesExpire) {
  RedisServer server;
  auto few = options(server);
  few.keep = seconds(1000);
  RedisStore store(few, metrics_, log_);
  wait_for(store);
  keep(store, server, "a", "1");
  const int64_t left = std::stoll(server.ask({"PTTL", "a"}));
  EXPECT_GT(left, 0);
  EXPECT_LE(left, 1'000'000);
}

TEST_F(RedisStoreTest, SaysHowLongAValueIsKept) {
  RedisServer server;
  RedisStore store(options(server), metrics_, log_);
  wait_for(store);
  server.ask({"SET", "a", "1", "EX", "500"});
  Duration left{};
  EXPECT_EQ(ask(store, "a", &left), "1");
  EXPECT_GT(left, seconds(0));
  EXPECT_LE(left, seconds(500));
  server.ask({"PERSIST", "a"});
  EXPECT_EQ(ask(store, "a", &left), "1");
  EXPECT_EQ(left, Duration::max());
  server.ask({"PEXPIREAT", "a", "9223372036854775"});  // some 300,000 years
  EXPECT_EQ(ask(store, "a", &left), "1");
  EXPECT_GT(left, std::chrono::hours(24 * 365));
}

TEST_F(RedisStoreTest, ManyQuestionsAtOnceEachGetTheirOwnAnswer) {
  RedisServer server;
  RedisStore store(options(server), metrics_, log_);
  wait_for(store);
  for (int i = 0; i < 50; ++i) {
    server.ask({"SET", "key" + std::to_string(i), "value" + std::to_string(i)});
  }
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (int i = t; i < 200; i += 4) {
        const auto value = ask(store, "key" + std::to_string(i % 60));
        const auto there = std::optional("value" + std::to_string(i % 60));
        EXPECT_EQ(value, i % 60 < 50 ? there : std::nullopt);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST_F(RedisStoreTest, AsksNothingWhileRedisIsGoneAndAgainWhenItIsBack) {
  RedisServer server;
  RedisStore store(options(server), metrics_, log_);
  wait_for(store);
  for (int round = 0; round < 3; ++round) {
    server.stop();
    wait_for(store, false);
    EXPECT_EQ(ask(store, "a"), "-");
    store.put("a", "1");
    EXPECT_EQ(metric("hymt_redis_connected"), 0);
    server.start();
    wait_for(store);
    keep(store, server, "a", "1");
    EXPECT_EQ(ask(store, "a"), "1");
  }
}

TEST_F(RedisStoreTest, ARedisThatWasNeverThereIsNoFault) {
  RedisOptions nowhere;
  nowhere.address.path = "/nonexistent/redis.sock";
  nowhere.reconnect = milliseconds(1);
  RedisStore store(nowhere, metrics_, log_);
  EXPECT_EQ(ask(store, "a"), "-");
  store.put("a", "1");
  EXPECT_GE(metric("hymt_redis_skipped_total{operation=\"get\"}"), 1);
}

TEST_F(RedisStoreTest, ASlowOneIsNotWaitedForAndLeftAloneUntilItIsQuickAgain) {
  RedisServer server;
  auto impatient = options(server);
  impatient.patience = milliseconds(5);
  RedisStore store(impatient, metrics_, log_);
  wait_for(store);
  server.ask({"SET", "a", "1"});
  std::thread sleeper([&] { server.ask({"DEBUG", "SLEEP", "1"}); });
  until([&] { return ask(store, "a") == "-"; });  // each before that came back without waiting
  EXPECT_GE(metric("hymt_redis_failures_total{operation=\"get\",reason=\"timeout\"}"), 3);
  EXPECT_EQ(metric("hymt_redis_breaker_open{operation=\"get\"}"), 1);
  sleeper.join();
  until([&] { return ask(store, "a") == "1"; });
  EXPECT_EQ(metric("hymt_redis_breaker_open{operation=\"get\"}"), 0);
}

TEST_F(RedisStoreTest, AConnectionThatSaysNothingIsMadeAnew) {
  RedisServer server;
  auto short_of_time = options(server);
  short_of_time.patience = milliseconds(2);
  short_of_time.silence = milliseconds(50);
  RedisStore store(short_of_time, metrics_, log_);
  wait_for(store);
  server.freeze();
  until([&] {
    ask(store, "a");
    return !store.connected();
  });
  server.thaw();
  wait_for(store);
  server.ask({"SET", "a", "1"});
  until([&] { return ask(store, "a") == "1"; });
}

TEST_F(RedisStoreTest, AFullOneIsStillReadButNotWrittenTo) {
  RedisServer server({"--maxmemory-policy", "noeviction"});
  RedisStore store(options(server), metrics_, log_);
  wait_for(store);
  keep(store, server, "a", "1");
  server.ask({"CONFIG", "SET", "maxmemory", "1"});
  until([&] {
    store.put("b", "2");
    return metric("hymt_redis_breaker_open{operation=\"set\"}") == 1;
  });
  EXPECT_GE(metric("hymt_redis_failures_total{operation=\"set\",reason=\"error\"}"), 3);
  EXPECT_EQ(ask(store, "a"), "1");
  EXPECT_EQ(metric("hymt_redis_breaker_open{operation=\"get\"}"), 0);
  server.ask({"CONFIG", "SET", "maxmemory", "0"});
  keep(store, server, "b", "2");
  EXPECT_EQ(ask(store, "b"), "2");
}

TEST_F(RedisStoreTest, ForeignValuesAreBoundedAndOtherKindsAreNone) {
  RedisServer server;
  auto small = options(server);
  small.max_value = 1000;
  RedisStore store(small, metrics_, log_);
  wait_for(store);
  server.ask({"SETRANGE", "huge", "100000000", "x"});
  const auto huge = ask(store, "huge");
  ASSERT_TRUE(huge) << "its connection was given up";
  EXPECT_LE(huge->size(), 1001u);
  server.ask({"LPUSH", "list", "x"});
  for (int i = 0; i < 10; ++i) EXPECT_EQ(ask(store, "list"), std::nullopt);
  EXPECT_EQ(metric("hymt_redis_breaker_open{operation=\"get\"}"), 0);
  store.put("large", std::string(1001, 'x'));
  keep(store, server, "small", "x");
  EXPECT_EQ(server.ask({"EXISTS", "large"}), "0");
}

TEST_F(RedisStoreTest, PasswordsUsersAndDatabases) {
  RedisServer server({"--user", "default", "on", "nopass", "~*", "+@all", "--user", "mt", "on",
                      ">secret", "~hymt:*", "+@all", "-@dangerous"});
  auto right = options(server);
  right.address.user = "mt";
  right.password = "secret";
  right.address.database = 3;
  RedisStore store(right, metrics_, log_);
  wait_for(store);
  until([&] {
    store.put("hymt:a", "1");
    return ask(store, "hymt:a") == "1";
  });
  EXPECT_EQ(server.ask({"EXISTS", "hymt:a"}), "0") << "it lies in another database";
  EXPECT_EQ(ask(store, "other"), std::nullopt) << "refused, which is told as an error";
  EXPECT_GE(metric("hymt_redis_failures_total{operation=\"get\",reason=\"error\"}"), 1);

  auto wrong = right;
  wrong.password = "guess";
  metrics::Registry other;
  RedisStore refused(wrong, other, log_);
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(ask(refused, "hymt:a"), "-");
    std::this_thread::sleep_for(milliseconds(1));
  }
}

TEST_F(RedisStoreTest, ItsEndAnswersWhatIsStillAsked) {
  RedisServer server;
  std::atomic<int> answered{0};
  {
    RedisStore store(options(server), metrics_, log_);
    wait_for(store);
    server.freeze();
    for (int i = 0; i < 10; ++i) {
      EXPECT_TRUE(store.get("a", [&](const auto& value) {
        EXPECT_FALSE(value);
        ++answered;
      }));
    }
  }
  EXPECT_EQ(answered, 10);
  server.thaw();
}

// Something else than a Redis listens there. No word of it may do harm.
class Impostor {
 public:
  explicit Impostor(std::string greeting) : greeting_(std::move(greeting)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 16), 0);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    port_ = ntohs(address.sin_port);
    thread_ = std::thread([this] { serve(); });
  }
  ~Impostor() {
    ::shutdown(socket_, SHUT_RDWR);
    thread_.join();
    ::close(socket_);
  }
  RedisOptions options() const {
    RedisOptions options;
    options.address.host = "127.0.0.1";
    options.address.port = port_;
    options.reconnect = options.longest_reconnect = milliseconds(1);
    options.max_value = 1000;
    return options;
  }
  int callers() const { return callers_; }

 private:
  void serve() {
    for (int peer = 0; (peer = ::accept(socket_, nullptr, nullptr)) >= 0;) {
      ++callers_;
      for (size_t at = 0; at < greeting_.size();) {
        const auto n = ::send(peer, greeting_.data() + at, greeting_.size() - at, MSG_NOSIGNAL);
        if (n <= 0) break;
        at += static_cast<size_t>(n);
      }
      ::shutdown(peer, SHUT_WR);
      char bytes[4096];
      while (::recv(peer, bytes, sizeof bytes, 0) > 0) {
      }
      ::close(peer);
    }
  }
  const std::string greeting_;
  int socket_ = -1;
  uint16_t port_ = 0;
  std::atomic<int> callers_{0};
  std::thread thread_;
};

TEST(RedisStore, SurvivesWhateverListensInItsPlace) {
  for (const std::string& greeting :
       {std::string(), std::string("SSH-2.0-OpenSSH_9.2\r\n"), std::string("+OK POP3 ready\r\n"),
        std::string("+A\r\n+B\r\n+C\r\n"), std::string("*-1\r\n*0\r\n$-1\r\n:1\r\n"),
        std::string("$1000000000\r\n") + std::string(300'000, 'x'), std::string("$-5\r\n"),
        std::string("*2\r\n$3\r\nabc"), std::string(300'000, '+'), std::string("\0\0\0\0", 4),
        std::string("-NOAUTH Authentication required.\r\n")}) {
    Impostor impostor(greeting);
    metrics::Registry metrics;
    Log log(Log::Level::off);
    RedisStore store(impostor.options(), metrics, log);
    until([&] {
      EXPECT_EQ(ask(store, "a"), "-") << greeting.substr(0, 40);
      store.put("a", "1");
      return impostor.callers() >= 3;
    });
  }
}

}  // namespace
}  // namespace hymt::translate::memory
