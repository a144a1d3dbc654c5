// Server-sent events (WHATWG HTML, 9.2), the part that streams of JSON need.
#pragma once

#include <string>
#include <string_view>

#include "server/api/json.h"

namespace hymt::server::api {

// "data: {...}\n\n"; JSON has no line break of its own.
inline std::string event_of(const Json& json) {
  return "data: " + to_text(json) + "\n\n";
}

inline constexpr std::string_view kDone = "data: [DONE]\n\n";

// Status and headers of a stream; proxies are asked not to hold it back.
inline http::Response stream_head() {
  http::Response head;
  head.content_type = "text/event-stream; charset=utf-8";
  head.headers = {{"Cache-Control", "no-store"},
                  {"X-Accel-Buffering", "no"},
                  {"X-Content-Type-Options", "nosniff"}};
  return head;
}

}  // namespace hymt::server::api
