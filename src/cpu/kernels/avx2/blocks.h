// Products of the block formats (q4, q8): for each block of 32 columns an exact sum of integers,
// which is then scaled and added in fp32, blocks in order. Internal linkage throughout, see
// panels.h.
//
// How the integers are multiplied depends on the instruction set. A Dot has
//   kFormat, kMaxRows
//   Code, kCodes                    what it reads of an input row: so many numbers a block
//   prepare(quants, n, scratch)     n quants of consecutive rows in that form
//   sums<M, R>(weights, codes, stride, starts, n_blocks, dots)  dots[m][r] = the sums of one block,
//       register r's, with row m, whose codes lie m * stride, its start m * n_blocks from the
//       first row's
#pragma once

#include <string.h>

#include "cpu/kernels/avx2/tiles.h"

namespace hymt::cpu {
namespace {

// Register r of vector v of a pair's group.
inline __m256i load_weights(const uint8_t* group, int v, int r) {
  const uint8_t* p = group + kVectorStride * static_cast<size_t>(v) + 32 * static_cast<size_t>(r);
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
  static constexpr Format kFormat = Dot::kFormat;
  static constexpr int kMaxRows = Dot::kMaxRows;

  struct Input {
    const typename Dot::Code* codes;
    const int32_t* starts;
    const float* scales;
    size_t n_blocks;  // of a row
  };

  static inline Input prepare(const InputRows& x, int row, int n, void* scratch) {
    const auto first = static_cast<size_t>(row) * static_cast<size_t>(x.n_columns);
    const size_t count = static_cast<size_t>(n) * static_cast<size_t>(x.n_columns);
    const size_t block = first / kBlockColumns;
    return {Dot::prepare(x.quants + first, count, scratch),
            (kFormat == Format::q4 ? x.starts_q4 : x.starts_q8) + block, x.scales + block,
            static_cast<size_t>(x.n_columns / kBlockColumns)};
  }

  template <int M, int R>
  static inline void add(const Chunk& chunk, const Input& input, __m256 (&acc)[M][R]) {
    constexpr size_t kBytes = kPairBytes[static_cast<int>(kFormat)];
    const size_t n_blocks = input.n_blocks;
    const auto* codes = input.codes + chunk.first_group * Dot::kCodes;
    const int32_t* starts = input.starts + chunk.first_group;
    const float* input_scales = input.scales + chunk.first_group;
    const uint8_t* group = chunk.groups;
    const uint16_t* scales = chunk.scales;
    for (size_t b = 0; b < chunk.n_groups;
         ++b, group += kBytes, scales += kBytes / sizeof *scales) {
      if (R == 2 && chunk.asking) prefetch<kFormat>(group + kAhead);
      __m256i dots[M][R];
      Dot::template sums<M, R>(group, codes + b * Dot::kCodes, n_blocks * Dot::kCodes, starts + b,
                               n_blocks, dots);
      __m256 weight_scale[R];
      for (int r = 0; r < R; ++r) {
        const auto* halves = reinterpret_cast<const __m128i*>(scales + 8 * r);
        weight_scale[r] = _mm256_cvtph_ps(_mm_load_si128(halves));
      }
      for (int m = 0; m < M; ++m) {
        const __m256 scale = _mm256_set1_ps(input_scales[static_cast<size_t>(m) * n_blocks + b]);
        for (int r = 0; r < R; ++r) {
          acc[m][r] = _mm256_fmadd_ps(_mm256_cvtepi32_ps(dots[m][r]),
                                      _mm256_mul_ps(weight_scale[r], scale), acc[m][r]);
        }
      }
    }
  }
};

}  // namespace
}  // namespace hymt::cpu
