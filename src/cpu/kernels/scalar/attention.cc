// Attention over paged K and V: a softmax that streams over chunks of the sequence, so that no
// row of scores is ever longer than a chunk.
#include <algorithm>
#include <cmath>

#include "cpu/kernels/scalar/numbers.h"
#include "cpu/kernels/scalar/scalar.h"

namespace hymt::cpu::scalar {
namespace {

// What a head's K and V of one block stand for.
struct F16Block {
  const uint8_t* block;
  int d_head, d_padded;

  float k(int d, int token) const { return number(d * kBlockTokens + token); }
  float v(int token, int d) const { return number(d_head * kBlockTokens + token * d_padded + d); }
  float number(int i) const { return from_f16(reinterpret_cast<const uint16_t*>(block)[i]); }
};

struct Int8Block {
  const uint8_t* block;
  int d_head, d_padded;

  float k(int d, int token) const {
    const uint8_t* scales = block + d_head * kBlockTokens;
    return scale(scales, token) * number(block, d * kBlockTokens + token);
  }
  float v(int token, int d) const {
    const uint8_t* numbers = block + d_head * kBlockTokens + kBlockTokens * sizeof(float);
    const uint8_t* scales = numbers + d_padded * kBlockTokens;
    return scale(scales, token) * number(numbers, token * d_padded + d);
  }
  static float number(const uint8_t* numbers, int i) {
    return static_cast<float>(reinterpret_cast<const int8_t*>(numbers)[i]);
  }
  static float scale(const uint8_t* scales, int token) {
    return reinterpret_cast<const float*>(scales)[token];
  }
};

// One query head of one row, which sees tokens [0, n_visible).
template <class Block>
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
    const auto block_of = [&](int t) {
      const auto block = static_cast<size_t>(tile.blocks[(chunk + t) / kBlockTokens]);
      return Block{tile.kv + block * tile.block_stride, d_head, d_padded};
    };
    float chunk_max = -INFINITY;
    for (int t = 0; t < n; ++t) {
      const Block block = block_of(t);
      float score = 0;
      for (int d = 0; d < d_head; ++d) score += q[d] * block.k(d, t % kBlockTokens);
      scores[t] = score;
      chunk_max = std::max(chunk_max, score);
    }

    const float new_max = std::max(max, chunk_max);
    const float shrink = std::exp(max - new_max);  // 0 for the first chunk
    max = new_max;
    total *= shrink;
    for (int d = 0; d < d_head; ++d) sums[d] *= shrink;

    for (int t = 0; t < n; ++t) {
      const Block block = block_of(t);
      const float weight = std::exp(scores[t] - max);
      total += weight;
      for (int d = 0; d < d_head; ++d) sums[d] += weight * block.v(t % kBlockTokens, d);
    }
  }
  for (int d = 0; d < d_head; ++d) out[d] = sums[d] / total;
}

template <class Block>
void attend(const AttentionTile& tile) {
  for (int row = 0; row < tile.n_rows; ++row) {
    for (int head = 0; head < tile.group; ++head) {
      const auto offset = static_cast<size_t>(head) * static_cast<size_t>(tile.d_head);
      attend_one<Block>(tile, tile.q + static_cast<size_t>(row) * tile.q_stride + offset,
                        tile.n_visible + row,
                        tile.out + static_cast<size_t>(row) * tile.out_stride + offset);
    }
  }
}

}  // namespace

void attend_f16(const AttentionTile& tile) {
  attend<F16Block>(tile);
}
void attend_q8(const AttentionTile& tile) {
  attend<Int8Block>(tile);
}

}  // namespace hymt::cpu::scalar
