#include "engine/metrics.h"

namespace hymt::engine {

Metrics::Metrics(metrics::Registry& r)
    : queued(r.gauge("hymt_engine_queued_requests", "Requests that wait for their first step.")),
      oldest_queued(
          r.gauge("hymt_engine_oldest_queued_seconds",
                  "How long the oldest request that waits for its first step has waited.")),
      running(r.gauge("hymt_engine_running_requests", "Requests being computed.")),
      blocks_used(r.gauge("hymt_engine_kv_blocks_used", "KV blocks in use.")),
      blocks(r.gauge("hymt_engine_kv_blocks", "KV blocks in the pool.")),
      prompt_tokens(r.counter("hymt_engine_prompt_tokens_total", "Prompt tokens computed.")),
      cached_tokens(r.counter("hymt_engine_cached_prompt_tokens_total",
                              "Prompt tokens that an earlier prompt had computed already.")),
      prefix_hits(r.counter("hymt_engine_prefix_hits_total",
                            "Prompts whose head an earlier prompt had computed already.")),
      generated_tokens(r.counter("hymt_engine_generated_tokens_total", "Tokens generated.")),
      preemptions(r.counter("hymt_engine_preemptions_total",
                            "Requests that gave their blocks back to older ones.")),
      steps(r.counter("hymt_engine_steps_total", "Forward passes.")),
      failed(r.counter("hymt_engine_failed_requests_total", "Requests that ended in an error.")),
      step_rows(r.histogram("hymt_engine_step_rows", "Rows (tokens) of a forward pass.",
                            {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024})),
      queue_seconds(r.histogram("hymt_engine_queue_seconds", "Time from arrival to admission.",
                                metrics::latency_bounds())),
      cancel_seconds(r.histogram("hymt_engine_cancel_seconds",
                                 "Time from a cancel to its request's blocks being free.",
                                 metrics::latency_bounds())),
      first_token_seconds(r.histogram("hymt_engine_first_token_seconds",
                                      "Time from arrival to the first token.",
                                      metrics::latency_bounds())),
      token_seconds(r.histogram(
          "hymt_engine_token_seconds", "Mean time a token of an answer, after its first.",
          {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1})) {
  for (size_t i = 0; i < finished.size(); ++i) {
    const metrics::Labels labels = {{"reason", std::string(name(static_cast<FinishReason>(i)))}};
    finished[i] = &r.counter("hymt_engine_finished_requests_total",
                             "Requests that ended, by the reason.", labels);
    request_seconds[i] =
        &r.histogram("hymt_engine_request_seconds", "Time from arrival to the end.",
                     metrics::latency_bounds(), labels);
  }
}

}  // namespace hymt::engine
