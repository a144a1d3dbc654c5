// The series of the shared store.
#pragma once

#include "base/metrics.h"

namespace hymt::translate::memory {

// Of reading or of writing.
struct RedisSide {
  RedisSide(metrics::Registry& registry, const char* operation);

  metrics::Histogram& seconds;
  metrics::Counter& timeouts;
  metrics::Counter& errors;
  metrics::Counter& lost;
  metrics::Counter& skipped;
  metrics::Gauge& breaker_open;
};

struct RedisMetrics {
  explicit RedisMetrics(metrics::Registry& registry);

  RedisSide get;
  RedisSide put;
  metrics::Gauge& connected;
};

}  // namespace hymt::translate::memory
