#include "translate/memory/redis_metrics.h"

namespace hymt::translate::memory {
namespace {

metrics::Counter& failures(metrics::Registry& registry, const char* operation, const char* reason) {
  return registry.counter("hymt_redis_failures_total",
                          "Commands to Redis that failed: not answered in time, answered with an "
                          "error, or lost with the connection.",
                          {{"operation", operation}, {"reason", reason}});
}

std::vector<double> bounds() {
  return {0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 1};
}

}  // namespace

RedisSide::RedisSide(metrics::Registry& registry, const char* operation)
    : seconds(registry.histogram("hymt_redis_seconds",
                                 "Time from a command to Redis to its answer.", bounds(),
                                 {{"operation", operation}})),
      timeouts(failures(registry, operation, "timeout")),
      errors(failures(registry, operation, "error")),
      lost(failures(registry, operation, "connection")),
      skipped(registry.counter("hymt_redis_skipped_total",
                               "Commands that were not sent: Redis was not connected or too busy, "
                               "its breaker open, or the value too large.",
                               {{"operation", operation}})),
      breaker_open(registry.gauge("hymt_redis_breaker_open",
                                  "1 while Redis is left alone after failures.",
                                  {{"operation", operation}})) {}

RedisMetrics::RedisMetrics(metrics::Registry& registry)
    : get(registry, "get"),
      put(registry, "set"),
      connected(registry.gauge("hymt_redis_connected", "1 while Redis is connected.")) {}

}  // namespace hymt::translate::memory
