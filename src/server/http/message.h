// A request and a response as handlers see them: plain values, no socket, no parser.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/clock.h"

namespace hymt::server::http {

using Headers = std::vector<std::pair<std::string, std::string>>;

// The first header of that name, without regard to case; empty if there is none.
std::string_view find_header(const Headers& headers, std::string_view name);

bool equal_ignoring_case(std::string_view a, std::string_view b);

// `text` without the white space (space, tab) around it.
std::string_view trimmed(std::string_view text);

struct Request {
  std::string method;  // as sent: "GET"
  std::string target;  // as sent, for nothing but the log
  std::string path;    // percent-decoded once, without the query; "*" for OPTIONS *
  std::string query;   // as sent, without its "?"
  std::string host;    // of an absolute target, else the Host header; may be empty in HTTP/1.0
  int version = 11;    // 10 or 11
  Headers headers;     // values without surrounding white space; no trailers
  std::string body;
  std::string client;  // the peer's address
  Time arrived{};      // when its head was complete

  std::string_view header(std::string_view name) const { return find_header(headers, name); }
};

struct Response {
  int status = 200;
  std::string content_type;  // empty: none
  Headers headers;           // besides those the connection writes (length, connection, date)
  std::string body;
  bool close = false;  // end the connection after it
};

// "Not Found"
std::string_view reason_phrase(int status);

}  // namespace hymt::server::http
