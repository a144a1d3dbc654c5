#include "cpu/kernels/kernels.h"

namespace hymt::cpu {
namespace {

size_t rounded_up(int n, int unit) {
  return static_cast<size_t>((n + unit - 1) / unit) * static_cast<size_t>(unit);
}

}  // namespace

// A pair of panels with a byte a weight, unpacked from 4 bits (avx512); or up to 8 input rows as
// floats (avx2).
size_t multiply_scratch(int n_columns) {
  return 2 * kPanelRows * rounded_up(n_columns, kBlockColumns);
}

// A query's scores, its weighted sum, and two vectors of running statistics.
size_t attention_scratch(int group, int d_head) {
  const size_t queries = rounded_up(group, kMaxTileQueries);
  return queries * (kChunkTokens + rounded_up(d_head, 16) + 2 * 16);
}

}  // namespace hymt::cpu
