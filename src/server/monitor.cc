#include "server/monitor.h"

#include <algorithm>
#include <cstdio>

namespace hymt::server {
namespace {

constexpr const char* kOther = "other";
constexpr size_t kLongestTarget = 120;

}  // namespace

std::string loggable(std::string_view method, std::string_view target) {
  std::string out(method.substr(0, 16));
  out += ' ';
  out += target.substr(0, std::min(target.find('?'), kLongestTarget));
  for (char& c : out) {
    if (c < ' ' || c > '~') c = '.';
  }
  return out;
}

Monitor::Monitor(metrics::Registry& metrics, Log& log)
    : metrics_(metrics),
      log_(log),
      cancelled_(metrics.counter("hymt_http_cancelled_total",
                                 "Requests whose client left before the answer was complete.")) {
  add_label(kOther);
  metrics.gauge_function("hymt_http_in_flight", "Requests being read or answered.", {},
                         [this] { return static_cast<double>(in_flight_); });
}

void Monitor::add_label(const std::string& label) {
  Series& series = series_[label];
  series.seconds = &metrics_.histogram("hymt_http_request_seconds",
                                       "Time from a request's head to the end of its answer.",
                                       metrics::latency_bounds(), {{"path", label}});
}

void Monitor::on_begin() {
  ++in_flight_;
}

void Monitor::on_end(const http::Record& record) {
  --in_flight_;
  auto found = series_.find(record.label);
  if (found == series_.end()) found = series_.find(kOther);
  counter(found->first, found->second, record.status).add();
  found->second.seconds->observe(record.seconds);
  if (record.gone) cancelled_.add();

  char numbers[80];
  std::snprintf(numbers, sizeof numbers, " %d %zu B %.3f s ", record.status, record.bytes,
                record.seconds);
  log_.info(loggable(record.method, record.target) + numbers + std::string(record.client) +
            (record.gone ? " gone" : ""));
}

metrics::Counter& Monitor::counter(const std::string& label, Series& series, int status) {
  const auto at = std::find(kStatuses.begin(), kStatuses.end(), status);
  const size_t i =
      at == kStatuses.end() ? kStatuses.size() - 1 : static_cast<size_t>(at - kStatuses.begin());
  metrics::Counter* known = series.by_status[i].load(std::memory_order_acquire);
  if (known) return *known;
  // The registry gives the same series to two threads that come here at once.
  auto& made = metrics_.counter("hymt_http_requests_total",
                                "Requests by path and status; 0: the client left unanswered.",
                                {{"path", label}, {"code", std::to_string(kStatuses[i])}});
  series.by_status[i].store(&made, std::memory_order_release);
  return made;
}

}  // namespace hymt::server
