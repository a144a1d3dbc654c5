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

template <int M>
inline void add_starts(const int32_t* starts, size_t n_blocks, __m256i (&dots)[M][2]) {
  for (int m = 0; m < M; ++m) {
    const __m256i start = _mm256_set1_epi32(starts[static_cast<size_t>(m) * n_blocks]);
    for (__m256i& dot : dots[m]) dot = _mm256_add_epi32(dot, start);
  }
}

struct DotQ4 {
  static constexpr int kMaxRows = 4;
  static constexpr size_t kBlockBytes = 256;
  static constexpr int kOffset = 8;
  using Code = int8_t;
  static constexpr size_t kCodes = kBlockColumns;

  static inline const int8_t* prepare(const int8_t* quants, size_t, void*) { return quants; }

  template <int M>
  static inline void sums(const uint8_t* weights, const int8_t* codes, size_t stride,
                          const int32_t* starts, size_t n_blocks, __m256i (&dots)[M][2]) {
    const __m256i mask = _mm256_set1_epi8(15);
    for (auto& dot : dots) dot[0] = dot[1] = _mm256_setzero_si256();
#pragma GCC unroll 8
    for (int v = 0; v < 4; ++v) {
      const __m256i low[2] = {_mm256_and_si256(load_bytes(weights + 64 * v), mask),
                              _mm256_and_si256(load_bytes(weights + 64 * v + 32), mask)};
      for (int m = 0; m < M; ++m) {
        const __m256i q = broadcast4(codes + static_cast<size_t>(m) * stride + 4 * v);
        for (int half = 0; half < 2; ++half) {
          const __m256i pairs = _mm256_maddubs_epi16(low[half], q);
          add_words(dots[m][half], pairs);
        }
      }
      const __m256i high[2] = {
          _mm256_and_si256(_mm256_srli_epi16(load_bytes(weights + 64 * v), 4), mask),
          _mm256_and_si256(_mm256_srli_epi16(load_bytes(weights + 64 * v + 32), 4), mask)};
      for (int m = 0; m < M; ++m) {
        const __m256i q = broadcast4(codes + static_cast<size_t>(m) * stride + 16 + 4 * v);
        for (int half = 0; half < 2; ++half) {
          add_words(dots[m][half], _mm256_maddubs_epi16(high[half], q));
        }
      }
    }
    const __m256i ones = _mm256_set1_epi16(1);
    for (int m = 0; m < M; ++m) {
      for (__m256i& dot : dots[m]) dot = _mm256_madd_epi16(dot, ones);
    }
    add_starts<M>(starts, n_blocks, dots);
  }
};

// Weights and inputs in 16 bits, even columns and odd columns apart: shifts do that in place.
struct DotQ8 {
  static constexpr int kMaxRows = 4;
  static constexpr size_t kBlockBytes = 512;
  static constexpr int kOffset = 128;
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

  template <int M>
  static inline void sums(const uint8_t* weights, const int16_t* codes, size_t stride,
                          const int32_t* starts, size_t n_blocks, __m256i (&dots)[M][2]) {
    const __m256i mask = _mm256_set1_epi16(255);
    for (auto& dot : dots) dot[0] = dot[1] = _mm256_setzero_si256();
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) {
      const __m256i even[2] = {_mm256_and_si256(load_bytes(weights + 64 * g), mask),
                               _mm256_and_si256(load_bytes(weights + 64 * g + 32), mask)};
      for (int m = 0; m < M; ++m) {
        const __m256i q = broadcast4(codes + static_cast<size_t>(m) * stride + 2 * g);
        for (int half = 0; half < 2; ++half) {
          const __m256i pairs = _mm256_madd_epi16(even[half], q);
          add_ints(dots[m][half], pairs);
        }
      }
      const __m256i odd[2] = {_mm256_srli_epi16(load_bytes(weights + 64 * g), 8),
                              _mm256_srli_epi16(load_bytes(weights + 64 * g + 32), 8)};
      for (int m = 0; m < M; ++m) {
        const __m256i q = broadcast4(codes + static_cast<size_t>(m) * stride + 16 + 2 * g);
        for (int half = 0; half < 2; ++half) {
          add_ints(dots[m][half], _mm256_madd_epi16(odd[half], q));
        }
      }
    }
    add_starts<M>(starts, n_blocks, dots);
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
