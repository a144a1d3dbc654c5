#include "server/http/same_site.h"

#include <gtest/gtest.h>

namespace hymt::server::http {
namespace {

TEST(SameSite, KnowsLoopbackHosts) {
  for (const char* host :
       {"localhost", "LOCALHOST", "localhost.", "127.0.0.1", "127.255.0.9", "[::1]", "::1"}) {
    EXPECT_TRUE(is_loopback(host)) << host;
  }
  for (const char* host : {"", "example.com", "127.0.0.1.example.com", "127.0.0", "127.0.0.0.1",
                           "127.a.b.c", "localhost.example.com", "128.0.0.1", "[::2]", "0.0.0.0"}) {
    EXPECT_FALSE(is_loopback(host)) << host;
  }
}

TEST(SameSite, TakesTheHostApart) {
  EXPECT_EQ(host_name("LocalHost:7860"), "localhost");
  EXPECT_EQ(host_name("127.0.0.1:1"), "127.0.0.1");
  EXPECT_EQ(host_name("[::1]:7860"), "::1");
  EXPECT_EQ(host_name("[FE80::1]"), "fe80::1");
  EXPECT_EQ(host_name("example.com."), "example.com");
  EXPECT_EQ(host_name(""), "");
}

bool allowed(const SitePolicy& policy, const char* host, const char* origin) {
  const auto error = check_site(policy, host, origin);
  EXPECT_TRUE(!error || error->code == Code::forbidden);
  return !error;
}

TEST(SameSite, ReboundNamesAreRefusedOnLoopback) {
  const SitePolicy policy{true, {"127.0.0.1"}};
  EXPECT_TRUE(allowed(policy, "127.0.0.1:7860", ""));
  EXPECT_TRUE(allowed(policy, "localhost:8080", "")) << "a forwarded port";
  EXPECT_TRUE(allowed(policy, "", "")) << "HTTP/1.0: no browser";
  EXPECT_FALSE(allowed(policy, "evil.example", ""));
  EXPECT_FALSE(allowed(policy, "evil.example:7860", "http://evil.example:7860"));
  EXPECT_FALSE(allowed(policy, "localhost.evil.example", ""));
}

TEST(SameSite, APublicNameIsOursAsHostAndAsOrigin) {
  const SitePolicy policy{true, {"127.0.0.1"}, {"Translate.example"}};
  EXPECT_TRUE(allowed(policy, "translate.example", "https://translate.example"));
  EXPECT_TRUE(allowed(policy, "127.0.0.1:7860", "https://translate.example")) << "nginx's default";
  EXPECT_TRUE(allowed(policy, "translate.example:8443", ""));
  EXPECT_FALSE(allowed(policy, "127.0.0.1:7860", "https://translate.example.evil.example"));
  EXPECT_FALSE(allowed(policy, "other.example", ""));
}

TEST(SameSite, AnyNameIsOursWhereWeListenToTheNetwork) {
  const SitePolicy policy{false, {"0.0.0.0"}};
  EXPECT_TRUE(allowed(policy, "translate.example:7860", ""));
  EXPECT_TRUE(allowed(policy, "translate.example", "https://translate.example"));
}

TEST(SameSite, ForeignOriginsAreRefused) {
  for (const bool check : {true, false}) {
    const SitePolicy policy{check, {"127.0.0.1"}};
    EXPECT_TRUE(allowed(policy, "127.0.0.1:7860", "http://127.0.0.1:7860"));
    EXPECT_TRUE(allowed(policy, "Localhost:7860", "http://localhost:7860"));
    EXPECT_TRUE(allowed(policy, "[::1]:7860", "http://[::1]:7860"));
    EXPECT_TRUE(allowed(policy, "localhost", "http://localhost:80"));
    EXPECT_FALSE(allowed(policy, "127.0.0.1:7860", "http://evil.example"));
    EXPECT_FALSE(allowed(policy, "127.0.0.1:7860", "http://127.0.0.1:8080")) << "another service";
    EXPECT_FALSE(allowed(policy, "127.0.0.1:7860", "null")) << "a sandboxed frame or a file";
    EXPECT_FALSE(allowed(policy, "127.0.0.1:7860", "http://"));
    EXPECT_FALSE(allowed(policy, "", "http://evil.example"));
  }
}

TEST(SameSite, TheNameItIsBoundToIsOurs) {
  const SitePolicy policy{true, {"myhost"}};
  EXPECT_TRUE(allowed(policy, "MyHost:7860", "http://myhost:7860"));
}

}  // namespace
}  // namespace hymt::server::http
