// Responses as bytes of HTTP/1.1 (RFC 9112). Pure functions.
#pragma once

#include <ctime>
#include <string>
#include <string_view>

#include "server/http/message.h"

namespace hymt::server::http {

enum class Framing {
  length,    // Content-Length of the body
  chunked,   // a stream
  to_close,  // a stream for HTTP/1.0: it ends with the connection
};

// Status line and headers with the empty line after them.
std::string response_head(const Response& response, Framing framing, bool keep_alive,
                          std::time_t now);

// One chunk of a stream; `bytes` is not empty (an empty chunk would end it).
std::string chunk(std::string_view bytes);
inline constexpr std::string_view kLastChunk = "0\r\n\r\n";

inline constexpr std::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";

// "Sun, 06 Nov 1994 08:49:37 GMT"
std::string http_date(std::time_t time);

}  // namespace hymt::server::http
