// Products of 4-bit and 8-bit weights with 8-bit inputs, by VPDPBUSD.
//
// The instruction multiplies unsigned by signed bytes: panels hold weights unsigned, inputs are
// signed, and the sum starts from a number that undoes the weights' offset. Sums are exact in
// integers; each block of 32 is then scaled and added in fp32, blocks in order.
#include <immintrin.h>
#include <string.h>

#include "cpu/kernels/avx512/multiply.h"
#include "cpu/kernels/avx512/tiles.h"

namespace hymt::cpu::avx512 {
namespace {

inline __m512i broadcast4(const int8_t* quants) {
  int32_t four;
  memcpy(&four, quants, sizeof four);
  return _mm512_set1_epi32(four);
}

// A byte a weight: q8, and unpacked q4.
struct ByteWeights {
  static constexpr Format kFormat = Format::q8;
  static constexpr int kWaitingRows = 4;

  template <int M>
  static inline void dot(const uint8_t* weights, const int8_t* const (&quants)[M],
                         __m512i (&sums)[M][2]) {
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) {
      const __m512i even = _mm512_load_si512(weights + 128 * g);
      const __m512i odd = _mm512_load_si512(weights + 128 * g + 64);
      for (int m = 0; m < M; ++m) {
        const __m512i a = broadcast4(quants[m] + 4 * g);
        sums[m][0] = _mm512_dpbusd_epi32(sums[m][0], even, a);
        sums[m][1] = _mm512_dpbusd_epi32(sums[m][1], odd, a);
      }
    }
  }
};

struct NibbleWeights {
  static constexpr Format kFormat = Format::q4;
  static constexpr int kWaitingRows = 1;

  template <int M>
  static inline void dot(const uint8_t* weights, const int8_t* const (&quants)[M],
                         __m512i (&sums)[M][2]) {
    const __m512i mask = _mm512_set1_epi8(15);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      __m512i low[2], high[2];
      for (int p = 0; p < 2; ++p) {
        const __m512i both = _mm512_load_si512(weights + 128 * v + 64 * p);
        low[p] = _mm512_and_si512(both, mask);
        high[p] = _mm512_and_si512(_mm512_srli_epi16(both, 4), mask);
      }
      for (int m = 0; m < M; ++m) {
        const __m512i a = broadcast4(quants[m] + 4 * v);
        const __m512i b = broadcast4(quants[m] + 16 + 4 * v);
        for (int p = 0; p < 2; ++p) {
          sums[m][p] = _mm512_dpbusd_epi32(sums[m][p], low[p], a);
        }
        for (int p = 0; p < 2; ++p) {
          sums[m][p] = _mm512_dpbusd_epi32(sums[m][p], high[p], b);
        }
      }
    }
  }
};

// `kOffset` 8 or 128 chooses what sums start from.
template <class Weights, int kOffset>
struct Product {
  static constexpr Format kFormat = Weights::kFormat;
  static constexpr int kUsualRows = 6;
  static constexpr int kMaxRows = 8;
  static constexpr int kWaitingRows = Weights::kWaitingRows;

  template <int M>
  static inline void add(const Chunk& chunk, const InputRows& x, int row, __m512 (&acc)[M][2]) {
    constexpr size_t kBytes = kPairBytes[static_cast<int>(kFormat)];
    constexpr size_t kScales = kScalesAt[static_cast<int>(kFormat)];
    const auto n_blocks = static_cast<size_t>(x.n_columns / kBlockColumns);
    const size_t stride = n_blocks * kBlockColumns;
    const size_t first = static_cast<size_t>(row) * n_blocks + chunk.first_group;
    const int8_t* quants = x.quants + first * kBlockColumns;
    const int32_t* starts = (kOffset == 8 ? x.starts_q4 : x.starts_q8) + first;
    const float* scales = x.scales + first;
    const uint8_t* group = chunk.groups;
    for (size_t b = 0; b < chunk.n_groups; ++b, group += kBytes) {
      if (b >= chunk.asking && b < chunk.asked) {
        for (size_t line = 0; line < kBytes; line += 64) prefetch(group + chunk.ahead + line);
      }
      const int8_t* rows[M];
      __m512i dots[M][2];
      for (int m = 0; m < M; ++m) {
        const auto r = static_cast<size_t>(m);
        rows[m] = quants + r * stride + b * kBlockColumns;
        dots[m][0] = dots[m][1] = _mm512_set1_epi32(starts[r * n_blocks + b]);
      }
      Weights::template dot<M>(group, rows, dots);
      const auto* weight_scales = reinterpret_cast<const uint16_t*>(group + kScales);
      const __m512 weight_scale[2] = {load_f16(weight_scales).v,
                                      load_f16(weight_scales + kPanelRows).v};
      for (int m = 0; m < M; ++m) {
        const __m512 scale = _mm512_set1_ps(scales[static_cast<size_t>(m) * n_blocks + b]);
        for (int p = 0; p < 2; ++p) {
          acc[m][p] = _mm512_fmadd_ps(_mm512_cvtepi32_ps(dots[m][p]),
                                      _mm512_mul_ps(weight_scale[p], scale), acc[m][p]);
        }
      }
    }
  }
};

using ProductQ8 = Product<ByteWeights, 128>;
using ProductQ4 = Product<NibbleWeights, 8>;
using ProductUnpackedQ4 = Product<ByteWeights, 8>;

// The groups of a pair, a byte a weight.
void unpack(const uint8_t* q4, size_t n_groups, uint8_t* q8) {
  const __m512i mask = _mm512_set1_epi8(15);
  for (size_t g = 0; g < n_groups; ++g) {
    for (int i = 0; i < 8; ++i, q4 += 64) {
      const __m512i both = _mm512_load_si512(q4);
      _mm512_store_si512(q8 + 64 * i, _mm512_and_si512(both, mask));
      _mm512_store_si512(q8 + 64 * i + 512, _mm512_and_si512(_mm512_srli_epi16(both, 4), mask));
    }
    _mm512_store_si512(q8 + 1024, _mm512_load_si512(q4));  // scales
    q4 += 64;
    q8 += kPairBytes[static_cast<int>(Format::q8)];
  }
}

}  // namespace

void multiply_q8(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                 void*) {
  all_panels<ProductQ8>(w, first, last, x, out);
}

void multiply_q4(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                 void*) {
  all_panels<ProductQ4>(w, first, last, x, out);
}

void multiply_q4_by_bytes(const Panels& w, int first, int last, const InputRows& x,
                          const OutputRows& out, void* scratch) {
  constexpr int kFewRows = 32;  // not worth the trip through memory
  if (x.n_rows <= kFewRows) return multiply_q4(w, first, last, x, out, scratch);
  alignas(64) uint8_t bytes[kChunkBytes];
  all_panels<ProductUnpackedQ4>(w, first, last, x, out, [&](Chunk chunk) {
    unpack(chunk.groups, chunk.n_groups, bytes);
    chunk.groups = bytes;
    chunk.asked = 0;
    return chunk;
  });
}

}  // namespace hymt::cpu::avx512
