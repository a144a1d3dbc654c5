#include "server/http/writer.h"

#include <charconv>
#include <cstdio>

namespace hymt::server::http {

std::string http_date(std::time_t time) {
  // Not strftime: day and month names would follow the locale.
  static constexpr const char* kDays[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
  static constexpr const char* kMonths[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  std::tm utc{};
  gmtime_r(&time, &utc);
  char out[96];
  std::snprintf(out, sizeof out, "%s, %02d %s %04d %02d:%02d:%02d GMT", kDays[utc.tm_wday],
                utc.tm_mday, kMonths[utc.tm_mon], utc.tm_year + 1900, utc.tm_hour, utc.tm_min,
                utc.tm_sec);
  return out;
}

std::string response_head(const Response& response, Framing framing, bool keep_alive,
                          std::time_t now) {
  std::string out = "HTTP/1.1 " + std::to_string(response.status) + " ";
  out.append(reason_phrase(response.status)).append("\r\n");
  const auto header = [&](std::string_view name, std::string_view value) {
    out.append(name).append(": ").append(value).append("\r\n");
  };
  header("Date", http_date(now));
  if (!response.content_type.empty()) header("Content-Type", response.content_type);
  const bool bodiless = response.status == 204 || response.status == 304;
  if (framing == Framing::chunked) {
    header("Transfer-Encoding", "chunked");
  } else if (framing == Framing::length && !bodiless) {
    header("Content-Length", std::to_string(response.body.size()));
  }
  header("Connection", keep_alive ? "keep-alive" : "close");
  for (const auto& [name, value] : response.headers) header(name, value);
  return out += "\r\n";
}

std::string chunk(std::string_view bytes) {
  char size[16];
  const auto end = std::to_chars(size, size + sizeof size, bytes.size(), 16).ptr;
  std::string out(size, end);
  out.append("\r\n").append(bytes).append("\r\n");
  return out;
}

}  // namespace hymt::server::http
