#include "base/metrics.h"

#include <gtest/gtest.h>

namespace hymt::metrics {
namespace {

// Expected text written by hand from the exposition format 0.0.4.
TEST(Metrics, RendersPrometheusText) {
  Registry registry;
  registry.counter("hymt_requests_total", "Requests.", {{"outcome", "ok"}}).add(3);
  registry.counter("hymt_requests_total", "Requests.", {{"outcome", "a\"b"}}).add();
  registry.gauge("hymt_queue", "Waiting.").set(2.5);
  auto& histogram = registry.histogram("hymt_seconds", "Time.", {0.1, 1});
  histogram.observe(0.1);  // bounds are inclusive
  histogram.observe(0.5);
  histogram.observe(7);
  EXPECT_EQ(registry.render(),
            "# HELP hymt_requests_total Requests.\n"
            "# TYPE hymt_requests_total counter\n"
            "hymt_requests_total{outcome=\"ok\"} 3\n"
            "hymt_requests_total{outcome=\"a\\\"b\"} 1\n"
            "# HELP hymt_queue Waiting.\n"
            "# TYPE hymt_queue gauge\n"
            "hymt_queue 2.5\n"
            "# HELP hymt_seconds Time.\n"
            "# TYPE hymt_seconds histogram\n"
            "hymt_seconds_bucket{le=\"0.1\"} 1\n"
            "hymt_seconds_bucket{le=\"1\"} 2\n"
            "hymt_seconds_bucket{le=\"+Inf\"} 3\n"
            "hymt_seconds_sum 7.6\n"
            "hymt_seconds_count 3\n");
}

}  // namespace
}  // namespace hymt::metrics
