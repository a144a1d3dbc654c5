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

// Far enough ahead that a line has come from memory when its turn is there.
constexpr int kPrefetchBytes = 2048;

inline __m512i broadcast4(const int8_t* quants) {
  int32_t four;
  memcpy(&four, quants, sizeof four);
  return _mm512_set1_epi32(four);
}

// A byte a weight: q8 panels, and unpacked q4 panels.
struct ByteWeights {
  static constexpr int kBlockBytes = 512;

  template <int M, int P>
  static inline void dot(const uint8_t* const (&weights)[P], const int8_t* const (&quants)[M],
                         __m512i (&sums)[M][P]) {
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) {
      __m512i w[P];
      for (int p = 0; p < P; ++p) w[p] = _mm512_load_si512(weights[p] + 64 * g);
      for (int m = 0; m < M; ++m) {
        const __m512i a = broadcast4(quants[m] + 4 * g);
        for (int p = 0; p < P; ++p) sums[m][p] = _mm512_dpbusd_epi32(sums[m][p], w[p], a);
      }
    }
  }
};

struct NibbleWeights {
  static constexpr int kBlockBytes = 256;

  template <int M, int P>
  static inline void dot(const uint8_t* const (&weights)[P], const int8_t* const (&quants)[M],
                         __m512i (&sums)[M][P]) {
    const __m512i mask = _mm512_set1_epi8(15);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      __m512i low[P], high[P];
      for (int p = 0; p < P; ++p) {
        const __m512i both = _mm512_load_si512(weights[p] + 64 * v);
        low[p] = _mm512_and_si512(both, mask);
        high[p] = _mm512_and_si512(_mm512_srli_epi16(both, 4), mask);
      }
      for (int m = 0; m < M; ++m) {
        const __m512i a = broadcast4(quants[m] + 4 * v);
        for (int p = 0; p < P; ++p) sums[m][p] = _mm512_dpbusd_epi32(sums[m][p], low[p], a);
        const __m512i b = broadcast4(quants[m] + 16 + 4 * v);
        for (int p = 0; p < P; ++p) sums[m][p] = _mm512_dpbusd_epi32(sums[m][p], high[p], b);
      }
    }
  }
};

// `kOffset` 8 or 128 chooses what sums start from.
template <class Weights, int kOffset>
struct Product {
  static constexpr int kMaxRows = 6;

  template <int M, int P>
  static inline void sums(const Source<P>& source, const InputRows& x, int row,
                          __m512 (&acc)[M][P]) {
    const auto n_blocks = static_cast<size_t>(source.n_groups);
    const size_t stride = n_blocks * kBlockColumns;
    const int8_t* quants = x.quants + static_cast<size_t>(row) * stride;
    const size_t first_block = static_cast<size_t>(row) * n_blocks;
    const int32_t* starts = (kOffset == 8 ? x.starts_q4 : x.starts_q8) + first_block;
    const float* scales = x.scales + first_block;
    for (int m = 0; m < M; ++m) {
      for (int p = 0; p < P; ++p) acc[m][p] = _mm512_setzero_ps();
    }
    for (size_t b = 0; b < n_blocks; ++b) {
      const uint8_t* weights[P];
      for (int p = 0; p < P; ++p) {
        weights[p] = source.weights[p] + b * Weights::kBlockBytes;
        for (int line = 0; line < Weights::kBlockBytes; line += 64) {
          _mm_prefetch(reinterpret_cast<const char*>(weights[p] + kPrefetchBytes + line),
                       _MM_HINT_T0);
        }
      }
      const int8_t* rows[M];
      __m512i dots[M][P];
      for (int m = 0; m < M; ++m) {
        const auto r = static_cast<size_t>(m);
        rows[m] = quants + r * stride + b * kBlockColumns;
        const __m512i start = _mm512_set1_epi32(starts[r * n_blocks + b]);
        for (int p = 0; p < P; ++p) dots[m][p] = start;
      }
      Weights::template dot<M, P>(weights, rows, dots);
      __m512 weight_scale[P];
      for (int p = 0; p < P; ++p) {
        weight_scale[p] = load_f16(source.scales[p] + b * kPanelRows).v;
      }
      for (int m = 0; m < M; ++m) {
        const __m512 scale = _mm512_set1_ps(scales[static_cast<size_t>(m) * n_blocks + b]);
        for (int p = 0; p < P; ++p) {
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

// One panel, a byte a weight.
void unpack(const uint8_t* nibbles, int n_blocks, uint8_t* bytes) {
  const __m512i mask = _mm512_set1_epi8(15);
  for (int b = 0; b < n_blocks; ++b, nibbles += 256, bytes += 512) {
    for (int v = 0; v < 4; ++v) {
      const __m512i both = _mm512_load_si512(nibbles + 64 * v);
      _mm512_store_si512(bytes + 64 * v, _mm512_and_si512(both, mask));
      _mm512_store_si512(bytes + 64 * (v + 4), _mm512_and_si512(_mm512_srli_epi16(both, 4), mask));
    }
  }
}

}  // namespace

void multiply_q8(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                 void*) {
  stream_panels<ProductQ8>(w, first, last, x, out, ByteWeights::kBlockBytes);
}

void multiply_q4(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                 void* scratch) {
  // Up to a few tiles of rows, nibbles are taken apart in each tile's registers. For more, once a
  // pair of panels, into memory that stays in the cache: the trip pays from about here on.
  constexpr int kDirectRows = 32;
  if (x.n_rows <= kDirectRows) {
    return stream_panels<ProductQ4>(w, first, last, x, out, NibbleWeights::kBlockBytes);
  }
  auto* bytes = static_cast<uint8_t*>(scratch);
  const size_t panel_bytes = static_cast<size_t>(w.n_groups) * ByteWeights::kBlockBytes;
  for (int panel = first; panel < last; panel += 2) {
    float* y = column_of(out, first, panel);
    if (panel + 1 < last) {
      Source<2> pair = source_of<2>(w, panel, NibbleWeights::kBlockBytes);
      for (int p = 0; p < 2; ++p) {
        uint8_t* to = bytes + static_cast<size_t>(p) * panel_bytes;
        unpack(pair.weights[p], w.n_groups, to);
        pair.weights[p] = to;
      }
      all_rows<ProductUnpackedQ4, 2>(pair, x, out, y);
    } else {
      Source<1> one = source_of<1>(w, panel, NibbleWeights::kBlockBytes);
      unpack(one.weights[0], w.n_groups, bytes);
      one.weights[0] = bytes;
      all_rows<ProductUnpackedQ4, 1>(one, x, out, y);
    }
  }
}

}  // namespace hymt::cpu::avx512
