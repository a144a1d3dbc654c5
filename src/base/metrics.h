// Counters, gauges and histograms, and their Prometheus text (exposition format 0.0.4).
//
// Series are created once, by the composition root or a constructor, never from input: label
// sets are bounded by construction. Updating a series is lock-free and safe from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace hymt::metrics {

using Labels = std::vector<std::pair<std::string, std::string>>;

class Counter {
 public:
  void add(uint64_t n = 1) { value_.fetch_add(n, std::memory_order_relaxed); }
  uint64_t value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<uint64_t> value_{0};
};

class Gauge {
 public:
  void set(double value) { value_.store(value, std::memory_order_relaxed); }
  double value() const { return value_.load(std::memory_order_relaxed); }

 private:
  std::atomic<double> value_{0};
};

class Histogram {
 public:
  explicit Histogram(std::vector<double> bounds);
  void observe(double value);

  const std::vector<double>& bounds() const { return bounds_; }
  uint64_t bucket(size_t i) const { return buckets_[i].load(std::memory_order_relaxed); }
  double sum() const { return sum_.load(std::memory_order_relaxed); }

 private:
  std::vector<double> bounds_;                        // upper bounds, ascending; +Inf is implied
  std::unique_ptr<std::atomic<uint64_t>[]> buckets_;  // [bounds + 1], not cumulative
  std::atomic<double> sum_{0};
};

// Seconds from 1 ms to 60 s, for latencies.
std::vector<double> latency_bounds();

class Registry {
 public:
  Registry();
  ~Registry();

  // The references live as long as the registry. The same name and labels give the same series;
  // one name must keep one kind and one help text.
  Counter& counter(const std::string& name, const std::string& help, Labels labels = {});
  Gauge& gauge(const std::string& name, const std::string& help, Labels labels = {});
  Histogram& histogram(const std::string& name, const std::string& help, std::vector<double> bounds,
                       Labels labels = {});
  // A gauge whose value is asked for when the text is rendered; `read` must be thread-safe and
  // must not wait on the engine.
  void gauge_function(const std::string& name, const std::string& help, Labels labels,
                      std::function<double()> read);

  std::string render() const;

 private:
  struct Family;
  Family& family(const std::string& name, const std::string& help, const char* kind);

  mutable std::mutex mutex_;  // guards the list of families, not the values
  std::vector<std::unique_ptr<Family>> families_;
};

}  // namespace hymt::metrics
