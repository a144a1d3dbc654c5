#include "cpu/profile.h"

#include <algorithm>

namespace hymt::cpu {

const char* name_of(Part part) {
  static constexpr std::array<const char*, kAllParts.size()> kNames = {
      "look-up", "norms",   "qkv",  "rotation",   "attention",
      "o",       "gate+up", "down", "vocabulary", "choice"};
  return kNames[static_cast<size_t>(part)];
}

void Profile::Entry::add_product(const Panels& panels, size_t read, int n_rows) {
  operations[static_cast<size_t>(panels.format)] +=
      2.0 * n_rows * panels.n_columns * panels.n_panels * kPanelRows;
  bytes += static_cast<double>(read);
}

void Profile::Entry::add_attention(int64_t pairs, int64_t read) {
  operations[static_cast<size_t>(Format::f32)] += 2.0 * 2.0 * static_cast<double>(pairs);
  bytes += static_cast<double>(read);
}

Profile::Timer::Timer(Profile* profile, Part part, Part outer)
    : entry_(profile != nullptr ? &profile->at(part) : nullptr),
      outer_(profile != nullptr && outer != part ? &profile->at(outer) : nullptr) {
  if (entry_ != nullptr) start_ = std::chrono::steady_clock::now();
}

Profile::Timer::~Timer() {
  if (entry_ == nullptr) return;
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  entry_->seconds += seconds;
  if (outer_ != nullptr) outer_->seconds -= seconds;
}

Profile::Entry Profile::sum() const {
  Entry sum;
  for (const Entry& entry : entries_) {
    sum.seconds += entry.seconds;
    sum.bytes += entry.bytes;
    if (&entry == &at(Part::attention)) continue;
    for (size_t f = 0; f < kFormats; ++f) sum.operations[f] += entry.operations[f];
  }
  return sum;
}

double least_seconds(const Profile::Entry& entry, const Ceilings& ceilings) {
  double computing = 0;
  for (size_t f = 0; f < kFormats; ++f) {
    computing += entry.operations[f] / ceilings.operations_per_second[f];
  }
  return std::max(computing, entry.bytes / ceilings.bytes_per_second);
}

}  // namespace hymt::cpu
