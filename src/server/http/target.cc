#include "server/http/target.h"

#include <optional>

#include "server/http/message.h"

namespace hymt::server::http {
namespace {

int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

std::optional<std::string> percent_decoded(std::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = hex_digit(text[i + 1]), low = hex_digit(text[i + 2]);
    if (high < 0 || low < 0 || high + low == 0) return std::nullopt;
    out += static_cast<char>(high * 16 + low);
    i += 2;
  }
  return out;
}

// What stands before the path of "http://host:port/path", or nothing.
std::optional<std::string_view> scheme_of(std::string_view target) {
  for (const std::string_view scheme : {"http://", "https://"}) {
    if (equal_ignoring_case(target.substr(0, scheme.size()), scheme)) {
      return target.substr(0, scheme.size());
    }
  }
  return std::nullopt;
}

}  // namespace

Result<Target> parse_target(std::string_view target) {
  Target out;
  if (target == "*") {
    out.path = "*";
    return out;
  }
  if (const auto scheme = scheme_of(target)) {
    target.remove_prefix(scheme->size());
    out.authority = target.substr(0, target.find_first_of("/?#"));
    if (out.authority.empty()) {
      return fail(Code::invalid_argument, "the address of the request names no host");
    }
    target.remove_prefix(out.authority.size());
  } else if (target.empty() || target.front() != '/') {
    return fail(Code::invalid_argument, "the path of the request must begin with \"/\"");
  }
  const auto question = target.find('?');
  if (question != std::string_view::npos) out.query = target.substr(question + 1);
  auto path = percent_decoded(target.substr(0, question));
  if (!path) return fail(Code::invalid_argument, "the path of the request has a broken % escape");
  out.path = path->empty() ? "/" : std::move(*path);
  return out;
}

}  // namespace hymt::server::http
