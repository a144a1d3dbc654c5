#include "translate/memory/redis_address.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hymt::translate::memory {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(RedisAddress, ReadsUrls) {
  const auto plain = parse_redis_url("redis://cache.example");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->host, "cache.example");
  EXPECT_EQ(plain->port, 6379);
  EXPECT_EQ(plain->database, 0);
  EXPECT_EQ(plain->text(), "cache.example:6379");
  const auto full = parse_redis_url("redis://mt@10.0.0.7:7000/12");
  ASSERT_TRUE(full);
  EXPECT_EQ(full->user, "mt");
  EXPECT_EQ(full->host, "10.0.0.7");
  EXPECT_EQ(full->port, 7000);
  EXPECT_EQ(full->database, 12);
  const auto six = parse_redis_url("redis://[::1]:7000");
  ASSERT_TRUE(six);
  EXPECT_EQ(six->host, "::1");
  EXPECT_EQ(six->text(), "[::1]:7000");
  EXPECT_EQ(parse_redis_url("redis://[fe80::2]/")->host, "fe80::2");
  const auto local = parse_redis_url("unix:///run/redis/redis.sock?db=2");
  ASSERT_TRUE(local);
  EXPECT_EQ(local->path, "/run/redis/redis.sock");
  EXPECT_EQ(local->database, 2);
  EXPECT_EQ(local->text(), "/run/redis/redis.sock");
}

TEST(RedisAddress, RefusesWhatItCannotRead) {
  for (const char* url :
       {"", "redis", "http://x", "redis://", "redis:///0", "redis://x:0", "redis://x:65536",
        "redis://x:port", "redis://x/one", "redis://x/-1", "redis://x y", "redis://[::1",
        "redis://[::1]x", "redis://[]", "redis://x?db=1", "unix://run/redis.sock", "unix://",
        "unix:///x?database=1", "unix:///x?db="}) {
    const auto address = parse_redis_url(url);
    ASSERT_FALSE(address) << url;
    EXPECT_EQ(address.error().code, Code::invalid_argument) << url;
    EXPECT_THAT(address.error().message, HasSubstr("redis://HOST:6379/0"));
  }
  EXPECT_FALSE(parse_redis_url("unix:///" + std::string(200, 'x')));
  EXPECT_FALSE(parse_redis_url(std::string_view("redis://x\0y", 11)));
}

TEST(RedisAddress, APasswordIsRefusedAndNotRepeated) {
  for (const char* url : {"redis://user:hush@x", "redis://:hush@x:6379/0", "redis://:hush@@x"}) {
    const auto address = parse_redis_url(url);
    ASSERT_FALSE(address);
    EXPECT_THAT(address.error().message, HasSubstr("HYMT_REDIS_PASSWORD"));
    EXPECT_THAT(address.error().message, Not(HasSubstr("hush")));
  }
}

TEST(RedisAddress, TlsIsNamedAsWhatIsMissing) {
  const auto address = parse_redis_url("rediss://x");
  ASSERT_FALSE(address);
  EXPECT_EQ(address.error().code, Code::unsupported);
  EXPECT_THAT(address.error().message, HasSubstr("TLS"));
}

}  // namespace
}  // namespace hymt::translate::memory
