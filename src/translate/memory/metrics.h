// The translation memory's series.
#pragma once

#include "base/metrics.h"

namespace hymt::translate::memory {

struct Metrics {
  explicit Metrics(metrics::Registry& registry);

  metrics::Counter& hits;         // in the process
  metrics::Counter& shared_hits;  // in the store
  metrics::Counter& misses;
  metrics::Counter& joins;
  metrics::Counter& bypassed;
  metrics::Counter& evictions;
  metrics::Counter& foreign;
  metrics::Gauge& entries;
  metrics::Gauge& bytes_used;
  metrics::Gauge& bytes;
};

}  // namespace hymt::translate::memory
