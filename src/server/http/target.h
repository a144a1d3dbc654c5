// The request-target of HTTP/1.1 (RFC 9112, 3.2): origin, absolute and asterisk form.
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace hymt::server::http {

struct Target {
  std::string authority;  // of the absolute form, else empty
  std::string path;       // percent-decoded once; not normalised: routes are compared exactly
  std::string query;      // as sent, without its "?"
};

// invalid_argument for anything else, for a broken escape, and for an escaped NUL.
Result<Target> parse_target(std::string_view target);

}  // namespace hymt::server::http
