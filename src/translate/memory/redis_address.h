// Where a Redis is, as a URL says it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hymt::translate::memory {

struct RedisAddress {
  std::string host;  // or
  std::string path;  // of a Unix socket
  uint16_t port = 6379;
  std::string user;  // empty: Redis's default one
  int database = 0;

  std::string text() const;  // for logs
};

// "redis://[USER@]HOST[:PORT][/DATABASE]", with an IPv6 address in brackets, or
// "unix:///PATH[?db=DATABASE]". invalid_argument says what is wrong, and never repeats a password:
// a URL must not hold one, as others can read command lines. unsupported: TLS.
Result<RedisAddress> parse_redis_url(std::string_view url);

}  // namespace hymt::translate::memory
