// Products of 4-bit and 8-bit weights with 8-bit inputs, by VPDPBUSD on registers of 256 bits.
//
// The instruction multiplies unsigned by signed bytes, which is how panels and inputs are stored,
// and adds four products to a sum in 32 bits; the sum starts from what undoes the weights' offset.
#include "cpu/kernels/avx_vnni/multiply.h"

#include <immintrin.h>

#include "cpu/kernels/avx2/blocks.h"
#include "cpu/kernels/avx_vnni/dot.h"

namespace hymt::cpu::avx_vnni {
namespace {

template <Format kFormatOfWeights>
struct Dot {
  static constexpr Format kFormat = kFormatOfWeights;
  static constexpr int kMaxRows = 4;
  using Code = int8_t;
  static constexpr size_t kCodes = kBlockColumns;

  static inline const int8_t* prepare(const int8_t* quants, size_t, void*) { return quants; }

  // dots[m] += the products of four columns, `codes` the first row's.
  template <int M, int R>
  static inline void add_columns(const __m256i (&weights)[R], const int8_t* codes, size_t stride,
                                 __m256i (&dots)[M][R]) {
    for (int m = 0; m < M; ++m) {
      const __m256i quants = broadcast4(codes + static_cast<size_t>(m) * stride);
      for (int r = 0; r < R; ++r) dots[m][r] = add_products(dots[m][r], weights[r], quants);
    }
  }

  template <int M, int R>
  static inline void set_starts(const int32_t* starts, size_t n_blocks, __m256i (&dots)[M][R]) {
    for (int m = 0; m < M; ++m) {
      const __m256i start = _mm256_set1_epi32(starts[static_cast<size_t>(m) * n_blocks]);
      for (__m256i& dot : dots[m]) dot = start;
    }
  }
};

struct DotQ4 : Dot<Format::q4> {
  template <int M, int R>
  static inline void sums(const uint8_t* group, const int8_t* codes, size_t stride,
                          const int32_t* starts, size_t n_blocks, __m256i (&dots)[M][R]) {
    set_starts<M, R>(starts, n_blocks, dots);
    const __m256i mask = _mm256_set1_epi8(15);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      __m256i low[R], high[R];
      for (int r = 0; r < R; ++r) {
        low[r] = _mm256_and_si256(load_weights(group, v, r), mask);
      }
      add_columns<M, R>(low, codes + 4 * v, stride, dots);
      for (int r = 0; r < R; ++r) {
        high[r] = _mm256_and_si256(_mm256_srli_epi16(load_weights(group, v, r), 4), mask);
      }
      add_columns<M, R>(high, codes + 16 + 4 * v, stride, dots);
    }
  }
};

struct DotQ8 : Dot<Format::q8> {
  template <int M, int R>
  static inline void sums(const uint8_t* group, const int8_t* codes, size_t stride,
                          const int32_t* starts, size_t n_blocks, __m256i (&dots)[M][R]) {
    set_starts<M, R>(starts, n_blocks, dots);
#pragma GCC unroll 8
    for (int v = 0; v < 8; ++v) {
      __m256i weights[R];
      for (int r = 0; r < R; ++r) weights[r] = load_weights(group, v, r);
      add_columns<M, R>(weights, codes + 4 * v, stride, dots);
    }
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

}  // namespace hymt::cpu::avx_vnni
