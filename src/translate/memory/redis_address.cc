#include "translate/memory/redis_address.h"

#include <charconv>
#include <optional>

namespace hymt::translate::memory {
namespace {

// All of `text` as a number in [low, high].
std::optional<int> number(std::string_view text, int low, int high) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || value < low || value > high) {
    return std::nullopt;
  }
  return value;
}

tl::unexpected<Error> wrong(const std::string& what) {
  return fail(Code::invalid_argument,
              "the URL of Redis " + what + "; it looks like redis://HOST:6379/0 or unix:///PATH",
              "redis");
}

// Takes `prefix` off.
bool eat(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

Result<void> read_database(std::string_view text, RedisAddress& address) {
  const auto database = number(text, 0, 1'000'000);
  if (!database) return wrong("names no database by its number");
  address.database = *database;
  return {};
}

Result<RedisAddress> read_unix(std::string_view url) {
  RedisAddress address;
  const size_t query = std::min(url.find('?'), url.size());
  address.path = url.substr(0, query);
  url.remove_prefix(query);
  if (!address.path.starts_with('/')) return wrong("has no absolute path of a socket");
  if (address.path.size() > 107) return wrong("has a path too long for a socket (107 bytes)");
  if (eat(url, "?db=")) {
    HYMT_TRY(read_database(url, address));
  } else if (!url.empty()) {
    return wrong("can have no other parameter than ?db=NUMBER");
  }
  return address;
}

Result<RedisAddress> read_tcp(std::string_view url) {
  RedisAddress address;
  const size_t slash = url.find('/');
  if (slash != std::string_view::npos) {
    const std::string_view database = url.substr(slash + 1);
    if (!database.empty()) HYMT_TRY(read_database(database, address));
    url = url.substr(0, slash);
  }
  if (const size_t at = url.rfind('@'); at != std::string_view::npos) {
    address.user = url.substr(0, at);
    url.remove_prefix(at + 1);
  }
  if (address.user.find(':') != std::string::npos) {
    return wrong(
        "holds a password, which others can read there: give it in the environment variable "
        "HYMT_REDIS_PASSWORD or by --redis-password-file");
  }
  const size_t bracket = url.starts_with('[') ? url.find(']') : std::string_view::npos;
  const size_t colon = url.find(':', bracket == std::string_view::npos ? 0 : bracket);
  if (colon != std::string_view::npos) {
    const auto port = number(url.substr(colon + 1), 1, 65535);
    if (!port) return wrong("has no port from 1 to 65535");
    address.port = static_cast<uint16_t>(*port);
    url = url.substr(0, colon);
  }
  if (bracket != std::string_view::npos) {
    if (bracket + 1 != url.size()) return wrong("has something behind its bracket");
    url = url.substr(1, bracket - 1);
  }
  address.host = url;
  constexpr std::string_view kOdd = "[]?#% \t\r\n";
  if (address.host.empty() || address.host.find_first_of(kOdd) != std::string::npos) {
    return wrong("names no host");
  }
  return address;
}

}  // namespace

std::string RedisAddress::text() const {
  const std::string where = host.find(':') != std::string::npos ? "[" + host + "]" : host;
  return path.empty() ? where + ":" + std::to_string(port) : path;
}

Result<RedisAddress> parse_redis_url(std::string_view url) {
  if (url.find('\0') != std::string_view::npos) return wrong("has a NUL");
  if (eat(url, "redis://")) return read_tcp(url);
  if (eat(url, "unix://")) return read_unix(url);
  if (eat(url, "rediss://")) {
    return fail(Code::unsupported,
                "this build speaks no TLS to Redis: use a tunnel (stunnel) or a Unix socket",
                "redis");
  }
  return wrong("has another scheme than redis or unix");
}

}  // namespace hymt::translate::memory
