// The engine's series. Updated on the engine's thread, read from any.
#pragma once

#include <array>

#include "base/metrics.h"
#include "engine/request.h"

namespace hymt::engine {

struct Metrics {
  explicit Metrics(metrics::Registry& registry);

  metrics::Gauge& queued;
  metrics::Gauge& oldest_queued;
  metrics::Gauge& running;
  metrics::Gauge& blocks_used;
  metrics::Gauge& blocks;
  metrics::Counter& prompt_tokens;  // computed, so counted anew after a pre-emption
  metrics::Counter& cached_tokens;  // of prompts, found computed
  metrics::Counter& prefix_hits;    // prompts of which anything was found
  metrics::Counter& generated_tokens;
  metrics::Counter& preemptions;
  metrics::Counter& steps;
  metrics::Counter& failed;
  metrics::Histogram& step_rows;
  metrics::Histogram& queue_seconds;
  metrics::Histogram& cancel_seconds;
  metrics::Histogram& first_token_seconds;
  metrics::Histogram& token_seconds;  // mean time a token of a finished answer, after its first
  std::array<metrics::Counter*, 5> finished;           // by FinishReason
  std::array<metrics::Histogram*, 5> request_seconds;  // by FinishReason
};

}  // namespace hymt::engine
