// Matrix products for AVX2: one panel (two registers of eight outputs) and up to three input rows
// at a time. Every output is one chain of additions along k.
//
// VPMADDUBSW adds pairs of products in 16 bits and saturates there. 4-bit weights are far from
// that: a whole block (8 x 2 x 15 x 127 = 30,480) fits. 8-bit weights with an offset are not
// (2 x 255 x 127), so that they are used signed, as magnitudes whose sign moves to the input
// (2 x 128 x 127 = 32,512).
#include "cpu/kernels/avx2/multiply.h"

#include <immintrin.h>
#include <string.h>

#include "cpu/kernels/avx2/lanes.h"
#include "cpu/kernels/lanes/math.h"

namespace hymt::cpu::avx2 {
namespace {

constexpr int kMaxRows = 3;

inline __m256i load_bytes(const uint8_t* p) {
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(p));
}

inline __m256i broadcast4(const void* p) {
  int32_t four;
  memcpy(&four, p, sizeof four);
  return _mm256_set1_epi32(four);
}

// What a block format adds for a block: acc[m] += (float)(start + dot) * (weight * input scale).
template <int M>
inline void add_block(const __m256i (&dots)[M][2], const int32_t* starts, const uint16_t* scales,
                      const float* input_scales, size_t n_blocks, Lanes (&acc)[M]) {
  const Lanes weight_scale = load_f16(scales);
  for (int m = 0; m < M; ++m) {
    const size_t block = static_cast<size_t>(m) * n_blocks;
    const __m256i start = _mm256_set1_epi32(starts ? starts[block] : 0);
    const Lanes sum = {_mm256_cvtepi32_ps(_mm256_add_epi32(start, dots[m][0])),
                       _mm256_cvtepi32_ps(_mm256_add_epi32(start, dots[m][1]))};
    acc[m] = multiply_add(sum, weight_scale * all(input_scales[block]), acc[m]);
  }
}

struct ProductQ4 {
  static constexpr size_t kStride = kPairBytes[static_cast<size_t>(Format::q4)];

  template <int M>
  static inline void sums(const uint8_t* weights, const uint16_t* scales, int n_groups,
                          const InputRows& x, int row, Lanes (&acc)[M]) {
    const auto n_blocks = static_cast<size_t>(n_groups);
    const size_t first = static_cast<size_t>(row) * n_blocks;
    const __m256i mask = _mm256_set1_epi8(15);
    const __m256i ones = _mm256_set1_epi16(1);
    for (size_t b = 0; b < n_blocks; ++b, weights += kStride, scales += kStride / sizeof *scales) {
      __m256i dots[M][2];
      for (int m = 0; m < M; ++m) dots[m][0] = dots[m][1] = _mm256_setzero_si256();
      for (int v = 0; v < 4; ++v) {
        for (int half = 0; half < 2; ++half) {
          const __m256i both = load_bytes(weights + 128 * v + 32 * half);
          const __m256i low = _mm256_and_si256(both, mask);
          const __m256i high = _mm256_and_si256(_mm256_srli_epi16(both, 4), mask);
          for (int m = 0; m < M; ++m) {
            const int8_t* quants =
                x.quants + (first + static_cast<size_t>(m) * n_blocks + b) * kBlockColumns + 4 * v;
            const __m256i pairs =
                _mm256_add_epi16(_mm256_maddubs_epi16(low, broadcast4(quants)),
                                 _mm256_maddubs_epi16(high, broadcast4(quants + 16)));
            dots[m][half] = _mm256_add_epi16(dots[m][half], pairs);
          }
        }
      }
      for (int m = 0; m < M; ++m) {
        for (__m256i& dot : dots[m]) dot = _mm256_madd_epi16(dot, ones);
      }
      add_block<M>(dots, x.starts_q4 + first + b, scales, x.scales + first + b, n_blocks, acc);
    }
  }
};

struct ProductQ8 {
  static constexpr size_t kStride = kPairBytes[static_cast<size_t>(Format::q8)];

  template <int M>
  static inline void sums(const uint8_t* weights, const uint16_t* scales, int n_groups,
                          const InputRows& x, int row, Lanes (&acc)[M]) {
    const auto n_blocks = static_cast<size_t>(n_groups);
    const size_t first = static_cast<size_t>(row) * n_blocks;
    const __m256i top_bit = _mm256_set1_epi8(-128);
    const __m256i ones = _mm256_set1_epi16(1);
    for (size_t b = 0; b < n_blocks; ++b, weights += kStride, scales += kStride / sizeof *scales) {
      __m256i dots[M][2];
      for (int m = 0; m < M; ++m) dots[m][0] = dots[m][1] = _mm256_setzero_si256();
      for (int g = 0; g < 8; ++g) {
        for (int half = 0; half < 2; ++half) {
          const __m256i w = _mm256_xor_si256(load_bytes(weights + 128 * g + 32 * half), top_bit);
          const __m256i size = _mm256_abs_epi8(w);
          for (int m = 0; m < M; ++m) {
            const int8_t* quants =
                x.quants + (first + static_cast<size_t>(m) * n_blocks + b) * kBlockColumns + 4 * g;
            const __m256i pairs =
                _mm256_maddubs_epi16(size, _mm256_sign_epi8(broadcast4(quants), w));
            dots[m][half] = _mm256_add_epi32(dots[m][half], _mm256_madd_epi16(pairs, ones));
          }
        }
      }
      add_block<M>(dots, nullptr, scales, x.scales + first + b, n_blocks, acc);
    }
  }
};

struct ProductBf16 {
  static constexpr size_t kStride = kPairBytes[static_cast<size_t>(Format::f32)];

  // The pair's first (low halves) and second numbers.
  static inline __m256 first_of_pair(__m256i pairs) {
    return _mm256_castsi256_ps(_mm256_slli_epi32(pairs, 16));
  }
  static inline __m256 second_of_pair(__m256i pairs) {
    return _mm256_castsi256_ps(_mm256_and_si256(pairs, _mm256_set1_epi32(-65536)));
  }

  template <int M>
  static inline void sums(const uint8_t* weights, const uint16_t*, int n_groups, const InputRows& x,
                          int row, Lanes (&acc)[M]) {
    const auto n_pairs = static_cast<size_t>(n_groups);
    const uint16_t* input = x.bf16 + static_cast<size_t>(row) * 2 * n_pairs;
    for (size_t k = 0; k < n_pairs; ++k, weights += kStride) {
      const __m256i low = load_bytes(weights);
      const __m256i high = load_bytes(weights + 32);
      for (int m = 0; m < M; ++m) {
        const __m256i pair = broadcast4(input + (static_cast<size_t>(m) * n_pairs + k) * 2);
        const Lanes a = {first_of_pair(pair), first_of_pair(pair)};
        const Lanes b = {second_of_pair(pair), second_of_pair(pair)};
        acc[m] = multiply_add({first_of_pair(low), first_of_pair(high)}, a, acc[m]);
        acc[m] = multiply_add({second_of_pair(low), second_of_pair(high)}, b, acc[m]);
      }
    }
  }
};

struct ProductF32 {
  static constexpr size_t kStride = kPairBytes[static_cast<size_t>(Format::f32)];

  template <int M>
  static inline void sums(const uint8_t* weights, const uint16_t*, int n_groups, const InputRows& x,
                          int row, Lanes (&acc)[M]) {
    const auto n = static_cast<size_t>(n_groups);
    const float* input = x.f32 + static_cast<size_t>(row) * n;
    const auto* columns = reinterpret_cast<const float*>(weights);
    for (size_t k = 0; k < n; ++k, columns += kStride / sizeof *columns) {
      const Lanes w = load(columns);
      for (int m = 0; m < M; ++m) {
        acc[m] = multiply_add(w, all(input[static_cast<size_t>(m) * n + k]), acc[m]);
      }
    }
  }
};

template <class Product, int M>
inline void panel_sums(const Panels& w, int panel, const InputRows& x, int row, Lanes (&acc)[M]) {
  const auto format = static_cast<size_t>(w.format);
  const uint8_t* pair = w.groups + static_cast<size_t>(panel / 2) *
                                       static_cast<size_t>(w.n_groups) * kPairBytes[format];
  for (Lanes& sum : acc) sum = zero();
  Product::template sums<M>(
      pair + panel % 2 * 64,
      reinterpret_cast<const uint16_t*>(pair + kScalesAt[format]) + panel % 2 * kPanelRows,
      w.n_groups, x, row, acc);
}

// Rows [row, row + n), n <= M, of all panels.
template <class Product, int M>
inline void row_tile(const Panels& w, int first, int last, const InputRows& x, int row, int n,
                     const OutputRows& out) {
  if constexpr (M > 1) {
    if (n < M) return row_tile<Product, M - 1>(w, first, last, x, row, n, out);
  }
  float* y = out.y + static_cast<size_t>(row) * out.stride;
  Lanes acc[M];
  if (out.epilogue == Epilogue::swiglu) {
    for (int panel = first; panel < last; panel += 2, y += kPanelRows) {
      Lanes up[M];
      panel_sums<Product, M>(w, panel, x, row, acc);
      panel_sums<Product, M>(w, panel + 1, x, row, up);
      for (int m = 0; m < M; ++m) {
        store(y + static_cast<size_t>(m) * out.stride, silu_of(acc[m]) * up[m]);
      }
    }
    return;
  }
  for (int panel = first; panel < last; ++panel, y += kPanelRows) {
    panel_sums<Product, M>(w, panel, x, row, acc);
    for (int m = 0; m < M; ++m) {
      float* at = y + static_cast<size_t>(m) * out.stride;
      store(at, out.epilogue == Epilogue::add ? load(at) + acc[m] : acc[m]);
    }
  }
}

// A few panels at a time for all rows, so that weights come from memory once.
template <class Product>
inline void multiply(const Panels& w, int first, int last, const InputRows& x,
                     const OutputRows& out) {
  constexpr int kPanels = 2;
  const int per_output = out.epilogue == Epilogue::swiglu ? 2 : 1;
  OutputRows part = out;
  for (int panel = first; panel < last; panel += kPanels) {
    const int end = panel + kPanels < last ? panel + kPanels : last;
    part.y = out.y + (panel - first) / per_output * kPanelRows;
    for (int row = 0; row < x.n_rows; row += kMaxRows) {
      const int n = x.n_rows - row < kMaxRows ? x.n_rows - row : kMaxRows;
      row_tile<Product, kMaxRows>(w, panel, end, x, row, n, part);
    }
  }
}

}  // namespace

void multiply_q4(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                 void*) {
  multiply<ProductQ4>(w, first, last, x, out);
}
void multiply_q8(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                 void*) {
  multiply<ProductQ8>(w, first, last, x, out);
}
void multiply_bf16(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                   void*) {
  multiply<ProductBf16>(w, first, last, x, out);
}
void multiply_f32(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                  void*) {
  multiply<ProductF32>(w, first, last, x, out);
}

}  // namespace hymt::cpu::avx2
