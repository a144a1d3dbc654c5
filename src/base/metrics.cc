#include "base/metrics.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"

namespace hymt::metrics {
namespace {

std::string number(double value) {
  char buffer[32];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\' || c == '"') out += '\\';
    if (c == '\n') {
      out += "\\n";
    } else {
      out += c;
    }
  }
  return out;
}

std::string labelled(const Labels& labels, const std::string& le = {}) {
  std::string out;
  for (const auto& [key, value] : labels) {
    out += (out.empty() ? "" : ",") + key + "=\"" + escaped(value) + "\"";
  }
  if (!le.empty()) out += (out.empty() ? "le=\"" : ",le=\"") + le + "\"";
  return out.empty() ? out : "{" + out + "}";
}

}  // namespace

Histogram::Histogram(std::vector<double> bounds)
    : bounds_(std::move(bounds)), buckets_(new std::atomic<uint64_t>[bounds_.size() + 1]()) {
  HYMT_CHECK(std::is_sorted(bounds_.begin(), bounds_.end()));
}

void Histogram::observe(double value) {
  const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
  buckets_[static_cast<size_t>(at)].fetch_add(1, std::memory_order_relaxed);
  sum_.fetch_add(value, std::memory_order_relaxed);
}

std::vector<double> latency_bounds() {
  return {0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60};
}

struct Registry::Family {
  struct Series {
    Labels labels;
    std::unique_ptr<Counter> counter;
    std::unique_ptr<Gauge> gauge;
    std::unique_ptr<Histogram> histogram;
    std::function<double()> read;
  };
  std::string name, help, kind;
  std::vector<std::unique_ptr<Series>> series;

  Series& at(Labels labels) {
    for (auto& one : series) {
      if (one->labels == labels) return *one;
    }
    series.push_back(std::make_unique<Series>());
    series.back()->labels = std::move(labels);
    return *series.back();
  }
};

Registry::Registry() = default;
Registry::~Registry() = default;

Registry::Family& Registry::family(const std::string& name, const std::string& help,
                                   const char* kind) {
  for (auto& one : families_) {
    if (one->name == name) {
      HYMT_CHECK(one->kind == kind);
      return *one;
    }
  }
  families_.push_back(std::make_unique<Family>());
  auto& made = *families_.back();
  made.name = name, made.help = help, made.kind = kind;
  return made;
}

Counter& Registry::counter(const std::string& name, const std::string& help, Labels labels) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& series = family(name, help, "counter").at(std::move(labels));
  if (!series.counter) series.counter = std::make_unique<Counter>();
  return *series.counter;
}

Gauge& Registry::gauge(const std::string& name, const std::string& help, Labels labels) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& series = family(name, help, "gauge").at(std::move(labels));
  if (!series.gauge) series.gauge = std::make_unique<Gauge>();
  return *series.gauge;
}

Histogram& Registry::histogram(const std::string& name, const std::string& help,
                               std::vector<double> bounds, Labels labels) {
  const std::lock_guard<std::mutex> lock(mutex_);
  auto& series = family(name, help, "histogram").at(std::move(labels));
  if (!series.histogram) series.histogram = std::make_unique<Histogram>(std::move(bounds));
  return *series.histogram;
}

void Registry::gauge_function(const std::string& name, const std::string& help, Labels labels,
                              std::function<double()> read) {
  const std::lock_guard<std::mutex> lock(mutex_);
  family(name, help, "gauge").at(std::move(labels)).read = std::move(read);
}

std::string Registry::render() const {
  const std::lock_guard<std::mutex> lock(mutex_);
  std::string out;
  for (const auto& family : families_) {
    out += "# HELP " + family->name + " " + family->help + "\n";
    out += "# TYPE " + family->name + " " + family->kind + "\n";
    for (const auto& one : family->series) {
      const auto line = [&](const std::string& suffix, const std::string& labels,
                            const std::string& value) {
        out += family->name + suffix + labels + " " + value + "\n";
      };
      const std::string labels = labelled(one->labels);
      if (one->counter) line("", labels, std::to_string(one->counter->value()));
      if (one->gauge) line("", labels, number(one->gauge->value()));
      if (one->read) line("", labels, number(one->read()));
      if (one->histogram) {
        const Histogram& histogram = *one->histogram;
        uint64_t below = 0;
        for (size_t i = 0; i < histogram.bounds().size(); ++i) {
          below += histogram.bucket(i);
          line("_bucket", labelled(one->labels, number(histogram.bounds()[i])),
               std::to_string(below));
        }
        below += histogram.bucket(histogram.bounds().size());
        line("_bucket", labelled(one->labels, "+Inf"), std::to_string(below));
        line("_sum", labels, number(histogram.sum()));
        line("_count", labels, std::to_string(below));
      }
    }
  }
  return out;
}

}  // namespace hymt::metrics
