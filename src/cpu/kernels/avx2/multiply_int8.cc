// Products of 4-bit and 8-bit weights with 8-bit inputs, without an instruction for dot products.
//
// VPMADDUBSW adds pairs of products in 16 bits. With 4-bit weights a whole block fits these
// (8 x 2 x 15 x 127 = 30,480), so that one addition follows each. With 8-bit weights not even one
// pair does, and the ways around it (signs moved to the input, halves of a byte apart) cost more
// than VPMADDWD on numbers of 16 bits, which adds pairs in 32.
#include <immintrin.h>

#include "cpu/kernels/avx2/blocks.h"
#include "cpu/kernels/avx2/multiply.h"

namespace hymt::cpu::avx2 {
namespace {

// Adds to a chain of sums now: GCC would gather the terms of several links first, and spill them.
inline void add_words(__m256i& sum, __m256i term) {
  sum = _mm256_add_epi16(sum, term);
  asm("" : "+x"(sum));
}
inline void add_ints(__m256i& sum, __m256i term) {
  sum = _mm256_add_epi32(sum, term);
  asm("" : "+x"(sum));
}

template <int M, int R>
inline void add_starts(const int32_t* starts, size_t n_blocks, __m256i (&dots)[M][R]) {
  for (int m = 0; m < M; ++m) {
    const __m256i start = _mm256_set1_epi32(starts[static_cast<size_t>(m) * n_blocks]);
    for (__m256i& dot : dots[m]) dot = _mm256_add_epi32(dot, start);
  }
}

struct DotQ4 {
  static constexpr Format kFormat = Format::q4;
  static constexpr int kMaxRows = 4;
  using Code = int8_t;
  static constexpr size_t kCodes = kBlockColumns;

  static inline const int8_t* prepare(const int8_t* quants, size_t, void*) { return quants; }

  // dots[m] += the products of four columns, `codes` the first row's.
  template <int M, int R>
  static inline void add_columns(const __m256i (&weights)[R], const int8_t* codes, size_t stride,
                                 __m256i (&dots)[M][R]) {
    for (int m = 0; m < M; ++m) {
      const __m256i q = broadcast4(codes + static_cast<size_t>(m) * stride);
      for (int r = 0; r < R; ++r) add_words(dots[m][r], _mm256_maddubs_epi16(weights[r], q));
    }
  }

  template <int M, int R>
  static inline void sums(const uint8_t* group, const int8_t* codes, size_t stride,
                          const int32_t* starts, size_t n_blocks, __m256i (&dots)[M][R]) {
    const __m256i mask = _mm256_set1_epi8(15);
    for (auto& row : dots) {
      for (__m256i& dot : row) dot = _mm256_setzero_si256();
    }
#pragma GCC unroll 8
    for (int v = 0; v < 4; ++v) {
      __m256i low[R], high[R];
      for (int r = 0; r < R; ++r) low[r] = _mm256_and_si256(load_weights(group, v, r), mask);
      add_columns<M, R>(low, codes + 4 * v, stride, dots);
      for (int r = 0; r < R; ++r) {
        high[r] = _mm256_and_si256(_mm256_srli_epi16(load_weights(group, v, r), 4), mask);
      }
      add_columns<M, R>(high, codes + 16 + 4 * v, stride, dots);
    }
    const __m256i ones = _mm256_set1_epi16(1);
    for (auto& row : dots) {
      for (__m256i& dot : row) dot = _mm256_madd_epi16(dot, ones);
    }
    add_starts<M, R>(starts, n_blocks, dots);
  }
};

// Weights and inputs in 16 bits, even columns and odd columns apart: shifts do that in place.
struct DotQ8 {
  static constexpr Format kFormat = Format::q8;
  static constexpr int kMaxRows = 4;
  using Code = int16_t;
  static constexpr size_t kCodes = kBlockColumns;  // 16 even columns, then 16 odd ones

  static inline const int16_t* prepare(const int8_t* quants, size_t n, void* scratch) {
    auto* codes = static_cast<int16_t*>(scratch);
    for (size_t i = 0; i < n; i += kBlockColumns) {
      const __m256i both = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(quants + i));
      auto* to = reinterpret_cast<__m256i*>(codes + i);
      _mm256_store_si256(to, _mm256_srai_epi16(_mm256_slli_epi16(both, 8), 8));
      _mm256_store_si256(to + 1, _mm256_srai_epi16(both, 8));
    }
    return codes;
  }

  // dots[m] += the products of two columns, `codes` the first row's.
  template <int M, int R>
  static inline void add_columns(const __m256i (&weights)[R], const int16_t* codes, size_t stride,
                                 __m256i (&dots)[M][R]) {
    for (int m = 0; m < M; ++m) {
      const __m256i q = broadcast4(codes + static_cast<size_t>(m) * stride);
      for (int r = 0; r < R; ++r) add_ints(dots[m][r], _mm256_madd_epi16(weights[r], q));
    }
  }

  template <int M, int R>
  static inline void sums(const uint8_t* group, const int16_t* codes, size_t stride,
                          const int32_t* starts, size_t n_blocks, __m256i (&dots)[M][R]) {
    const __m256i mask = _mm256_set1_epi16(255);
    for (auto& row : dots) {
      for (__m256i& dot : row) dot = _mm256_setzero_si256();
    }
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v) {
      __m256i even[R], odd[R];
      for (int r = 0; r < R; ++r) even[r] = _mm256_and_si256(load_weights(group, v, r), mask);
      add_columns<M, R>(even, codes + 2 * v, stride, dots);
      for (int r = 0; r < R; ++r) odd[r] = _mm256_srli_epi16(load_weights(group, v, r), 8);
      add_columns<M, R>(odd, codes + 16 + 2 * v, stride, dots);
    }
    add_starts<M, R>(starts, n_blocks, dots);
  }
};

}  // namespace

void multiply_q4(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                 void* scratch) {
  all_tiles<BlockProduct<DotQ4>>(w, first, last, x, out, scratch);
}
void multiply_q8(const Panels& w, int first, int last, const InputRows& x, const OutputRows& out,
                 void* scratch) {
  all_tiles<BlockProduct<DotQ8>>(w, first, last, x, out, scratch);
}

}  // namespace hymt::cpu::avx2
