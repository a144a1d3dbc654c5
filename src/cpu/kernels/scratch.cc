#include "cpu/kernels/kernels.h"

namespace hymt::cpu {
namespace {

size_t rounded_up(int n, int unit) {
  return static_cast<size_t>((n + unit - 1) / unit) * static_cast<size_t>(unit);
}

}  // namespace

// Up to 8 input rows as floats (avx2: those of a tile).
size_t multiply_scratch(int n_columns) {
  return 8 * sizeof(float) * rounded_up(n_columns, kBlockColumns);
}

// A query's scores, its weighted sum, and two vectors of running statistics.
size_t attention_scratch(int group, int d_head) {
  const size_t queries = rounded_up(group, kMaxTileQueries);
  return queries * (kChunkTokens + rounded_up(d_head, 16) + 2 * 16);
}

}  // namespace hymt::cpu
