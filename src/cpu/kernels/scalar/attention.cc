// Attention over paged K and V: a softmax that streams over chunks of the sequence, so that no
// row of scores is ever longer than a chunk.
#include <algorithm>
#include <cmath>

#include "cpu/kernels/scalar/numbers.h"
#include "cpu/kernels/scalar/scalar.h"

namespace hymt::cpu::scalar {
namespace {

// One query head of one row, which sees tokens [0, n_visible).
void attend_one(const AttentionTile& tile, const float* q, int n_visible, float* out) {
  const int d_head = tile.d_head;
  const int d_padded = (d_head + 15) / 16 * 16;
  float* sums = tile.scratch;  // [d_head] weighted V so far
  float* scores = tile.scratch + d_padded;
  std::fill_n(sums, d_head, 0.0f);
  float max = -INFINITY;
  float total = 0;  // of the weights so far

  for (int chunk = 0; chunk < n_visible; chunk += kChunkTokens) {
    const int n = std::min(kChunkTokens, n_visible - chunk);
    const auto k_of = [&](int t) {
      return tile.kv +
             static_cast<size_t>(tile.blocks[(chunk + t) / kBlockTokens]) * tile.block_stride;
    };
    float chunk_max = -INFINITY;
    for (int t = 0; t < n; ++t) {
      const uint16_t* k = k_of(t) + t % kBlockTokens;
      float score = 0;
      for (int d = 0; d < d_head; ++d) score += q[d] * from_f16(k[d * kBlockTokens]);
      scores[t] = score;
      chunk_max = std::max(chunk_max, score);
    }

    const float new_max = std::max(max, chunk_max);
    const float shrink = std::exp(max - new_max);  // 0 for the first chunk
    max = new_max;
    total *= shrink;
    for (int d = 0; d < d_head; ++d) sums[d] *= shrink;

    for (int t = 0; t < n; ++t) {
      const uint16_t* v = k_of(t) + d_head * kBlockTokens + t % kBlockTokens * d_padded;
      const float weight = std::exp(scores[t] - max);
      total += weight;
      for (int d = 0; d < d_head; ++d) sums[d] += weight * from_f16(v[d]);
    }
  }
  for (int d = 0; d < d_head; ++d) out[d] = sums[d] / total;
}

}  // namespace

void attend(const AttentionTile& tile) {
  for (int row = 0; row < tile.n_rows; ++row) {
    for (int head = 0; head < tile.group; ++head) {
      const auto offset = static_cast<size_t>(head) * static_cast<size_t>(tile.d_head);
      attend_one(tile, tile.q + static_cast<size_t>(row) * tile.q_stride + offset,
                 tile.n_visible + row,
                 tile.out + static_cast<size_t>(row) * tile.out_stride + offset);
    }
  }
}

}  // namespace hymt::cpu::scalar
