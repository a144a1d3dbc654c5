// Expected values: RFC 9112, section 3.2, and RFC 3986.
#include "server/http/target.h"

#include <gtest/gtest.h>

namespace hymt::server::http {
namespace {

TEST(Target, TakesTheOriginForm) {
  const auto target = parse_target("/v1/translate?a=b%20c");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->path, "/v1/translate");
  EXPECT_EQ(target->query, "a=b%20c");
  EXPECT_EQ(target->authority, "");
}

TEST(Target, TakesTheAbsoluteForm) {
  const auto target = parse_target("HTTP://Example.com:80/x?y");
  ASSERT_TRUE(target);
  EXPECT_EQ(target->authority, "Example.com:80");
  EXPECT_EQ(target->path, "/x");
  EXPECT_EQ(target->query, "y");
  EXPECT_EQ(parse_target("http://host")->path, "/");
  EXPECT_EQ(parse_target("http://host?q")->query, "q");
}

TEST(Target, TakesTheAsterisk) {
  EXPECT_EQ(parse_target("*")->path, "*");
}

TEST(Target, DecodesOnceAndNeverNormalises) {
  EXPECT_EQ(parse_target("/%2e%2E/etc")->path, "/../etc");
  EXPECT_EQ(parse_target("/%252e")->path, "/%2e");
  EXPECT_EQ(parse_target("/a//b/./c")->path, "/a//b/./c");
}

TEST(Target, RefusesWhatIsNoPath) {
  for (const char* bad : {"", "health", "example.com:443", "http://", "ftp://host/", "/%", "/%2",
                          "/%zz", "/%00", "/a%0"}) {
    const auto target = parse_target(bad);
    ASSERT_FALSE(target) << bad;
    EXPECT_EQ(target.error().code, Code::invalid_argument);
  }
}

}  // namespace
}  // namespace hymt::server::http
