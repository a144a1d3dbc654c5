// Products of the block formats (q4, q8): for each block of 32 columns an exact sum of integers,
// which is then scaled and added in fp32, blocks in order. Internal linkage throughout, see
// panels.h.
//
// How the integers are multiplied depends on the instruction set. A Dot has
//   kMaxRows, kBlockBytes           of a panel's weights
//   kOffset                         8 or 128: which starts undo the weights' offset
//   Code, kCodes                    what it reads of an input row: so many numbers a block
//   prepare(quants, n, scratch)     n quants of consecutive rows in that form
//   sums<M>(weights, codes, stride, starts, n_blocks, dots)  dots[m] = the panel's sums of one
//       block with row m, whose codes lie m * stride, its start m * n_blocks from the first row's
#pragma once

#include <string.h>

#include "cpu/kernels/avx2/tiles.h"

namespace hymt::cpu {
namespace {

inline __m256i load_bytes(const uint8_t* p) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
}

// Four bytes in each of the eight lanes.
inline __m256i broadcast4(const void* p) {
  int32_t four;
  memcpy(&four, p, sizeof four);
  return _mm256_set1_epi32(four);
}

template <class Dot>
struct BlockProduct {
  static constexpr int kMaxRows = Dot::kMaxRows;
  static constexpr size_t kGroupBytes = Dot::kBlockBytes;

  struct Input {
    const typename Dot::Code* codes;
    const int32_t* starts;
    const float* scales;
  };

  static inline Input prepare(const InputRows& x, int row, int n, void* scratch) {
    const auto first = static_cast<size_t>(row) * static_cast<size_t>(x.n_columns);
    const size_t count = static_cast<size_t>(n) * static_cast<size_t>(x.n_columns);
    const size_t block = first / kBlockColumns;
    return {Dot::prepare(x.quants + first, count, scratch),
            (Dot::kOffset == 8 ? x.starts_q4 : x.starts_q8) + block, x.scales + block};
  }

  template <int M>
  static inline void sums(const uint8_t* weights, const uint16_t* scales, size_t n_blocks,
                          const Input& input, Lanes (&acc)[M]) {
    for (Lanes& sum : acc) sum = zero();
    for (size_t b = 0; b < n_blocks; ++b, weights += kGroupBytes, scales += kPanelRows) {
      for (size_t line = 0; line < kGroupBytes; line += 64) prefetch_ahead(weights + line);
      __m256i dots[M][2];
      Dot::template sums<M>(weights, input.codes + b * Dot::kCodes, n_blocks * Dot::kCodes,
                            input.starts + b, n_blocks, dots);
      const Lanes weight_scale = load_f16(scales);
      for (int m = 0; m < M; ++m) {
        const Lanes sum = {_mm256_cvtepi32_ps(dots[m][0]), _mm256_cvtepi32_ps(dots[m][1])};
        const Lanes scale = all(input.scales[static_cast<size_t>(m) * n_blocks + b]);
        acc[m] = multiply_add(sum, weight_scale * scale, acc[m]);
      }
    }
  }
};

}  // namespace
}  // namespace hymt::cpu
