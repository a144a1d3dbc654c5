// Counts of runs of n units.
#pragma once

#include <algorithm>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace hymt::translate::quality {

template <class Unit>
using Ngrams = std::map<std::vector<Unit>, int64_t>;

template <class Unit>
Ngrams<Unit> ngrams(std::span<const Unit> units, size_t n) {
  Ngrams<Unit> counts;
  for (size_t i = 0; i + n <= units.size(); ++i) {
    ++counts[{units.begin() + static_cast<std::ptrdiff_t>(i),
              units.begin() + static_cast<std::ptrdiff_t>(i + n)}];
  }
  return counts;
}

// How many of the hypothesis's n-grams the reference has, each at most as often as it has it.
template <class Unit>
int64_t matches(const Ngrams<Unit>& hypothesis, const Ngrams<Unit>& reference) {
  int64_t n = 0;
  for (const auto& [gram, count] : hypothesis) {
    const auto at = reference.find(gram);
    if (at != reference.end()) n += std::min(count, at->second);
  }
  return n;
}

}  // namespace hymt::translate::quality
