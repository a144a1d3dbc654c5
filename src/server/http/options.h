// The limits of the HTTP server: what keeps one client from hurting the others.
#pragma once

#include <chrono>
#include <cstddef>

namespace hymt::server::http {

struct Options {
  int network_threads = 1;
  int workers = 2;  // threads for routes that take time
  int max_connections = 1024;
  size_t max_header = 16384;  // bytes of request line and headers
  size_t max_headers = 100;
  size_t max_body = 1 << 20;        // bytes
  size_t max_bodies = 128 << 20;    // bytes of all bodies being received or answered
  size_t max_backlog = 256 * 1024;  // bytes of a stream waiting for a slow reader

  std::chrono::milliseconds header_time{10'000};  // from a head's first byte to its last
  std::chrono::milliseconds body_time{60'000};
  std::chrono::milliseconds idle_time{75'000};   // between requests, and between reads of a body
  std::chrono::milliseconds write_time{30'000};  // without progress
  std::chrono::milliseconds linger_time{2'000};  // reading on after the last reply, when silent
  std::chrono::milliseconds late_time{1'000};    // past its deadline a handler is given up
};

}  // namespace hymt::server::http
