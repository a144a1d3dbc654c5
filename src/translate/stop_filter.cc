#include "translate/stop_filter.h"

#include <algorithm>

namespace hymt::translate {

StopFilter::StopFilter(std::vector<std::string> stops) : stops_(std::move(stops)) {}

std::string StopFilter::push(std::string_view text) {
  if (stopped_) return {};
  held_ += text;
  size_t begin = std::string::npos;
  size_t end = std::string::npos;
  for (const auto& stop : stops_) {
    const size_t at = held_.find(stop);
    if (at == std::string::npos) continue;
    const size_t ends = at + stop.size();
    if (ends < end || (ends == end && at < begin)) {
      begin = at;
      end = ends;
    }
  }
  stopped_ = end != std::string::npos;
  const size_t certain = stopped_ ? begin : held_from();
  std::string out = held_.substr(0, certain);
  held_.erase(0, stopped_ ? held_.size() : certain);
  return out;
}

size_t StopFilter::held_from() const {
  size_t from = held_.size();
  for (const auto& stop : stops_) {
    // The longest end of the text that begins this stop string.
    for (size_t n = std::min(stop.size() - 1, held_.size()); n > 0; --n) {
      if (held_.compare(held_.size() - n, n, stop, 0, n) != 0) continue;
      from = std::min(from, held_.size() - n);
      break;
    }
  }
  return from;
}

std::string StopFilter::finish() {
  std::string rest = std::move(held_);
  held_.clear();
  return rest;
}

}  // namespace hymt::translate
