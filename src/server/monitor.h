// What happened: metrics and a log line for each request. Never a word of a request's text.
#pragma once

#include <array>
#include <atomic>
#include <map>
#include <string>

#include "base/log.h"
#include "base/metrics.h"
#include "server/http/site.h"

namespace hymt::server {

// Thread-safe. Label values are routes (all known from the start) and the statuses we send.
class Monitor final : public http::Observer {
 public:
  // Both outlive the monitor; metrics are never read after it.
  Monitor(metrics::Registry& metrics, Log& log);

  // Before the server starts. Without it, a route's requests count as "other".
  void add_label(const std::string& label);

  void on_begin() override;
  void on_end(const http::Record& record) override;

  int in_flight() const { return in_flight_; }

 private:
  static constexpr std::array<int, 15> kStatuses = {200, 204, 304, 400, 401, 403, 404, 405,
                                                    413, 422, 429, 500, 503, 504, 0};
  struct Series {
    metrics::Histogram* seconds;
    std::array<std::atomic<metrics::Counter*>, kStatuses.size()> by_status{};
  };
  metrics::Counter& counter(const std::string& label, Series& series, int status);

  metrics::Registry& metrics_;
  Log& log_;
  metrics::Counter& cancelled_;
  std::atomic<int> in_flight_{0};
  std::map<std::string, Series, std::less<>> series_;  // by label; fixed once serving
};

// A request line fit for a log: printable ASCII, without the query, not too long.
std::string loggable(std::string_view method, std::string_view target);

}  // namespace hymt::server
