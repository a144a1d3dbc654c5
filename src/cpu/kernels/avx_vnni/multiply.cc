// Products of 4-bit and 8-bit weights with 8-bit inputs, by VPDPBUSD on registers of 256 bits.
//
// The instruction multiplies unsigned by signed bytes, which is how panels and inputs are stored,
// and adds four products to a sum in 32 bits; the sum starts from what undoes the weights' offset.
#include "cpu/kernels/avx_vnni/multiply.h"

#include <immintrin.h>

#include "cpu/kernels/avx2/blocks.h"

namespace hymt::cpu::avx_vnni {
namespace {

// The flags say which of the two encodings it gets; a compiler has a name for each.
inline void add_products(__m256i& sum, __m256i weights, __m256i quants) {
#if defined(__AVXVNNI__)
  sum = _mm256_dpbusd_avx_epi32(sum, weights, quants);
#else
  sum = _mm256_dpbusd_epi32(sum, weights, quants);
#endif
}

template <int kOffsetOfWeights, size_t kBytes>
struct Dot {
  static constexpr int kMaxRows = 4;
  static constexpr size_t kBlockBytes = kBytes;
  static constexpr int kOffset = kOffsetOfWeights;
  using Code = int8_t;
  static constexpr size_t kCodes = kBlockColumns;

  static inline const int8_t* prepare(const int8_t* quants, size_t, void*) { return quants; }

  // dots[m] += the products of four columns, `column` the first.
  template <int M>
  static inline void add_columns(const __m256i (&weights)[2], const int8_t* codes, size_t stride,
                                 int column, __m256i (&dots)[M][2]) {
    for (int m = 0; m < M; ++m) {
      const __m256i quants = broadcast4(codes + static_cast<size_t>(m) * stride + column);
      for (int half = 0; half < 2; ++half) add_products(dots[m][half], weights[half], quants);
    }
  }

  template <int M>
  static inline void set_starts(const int32_t* starts, size_t n_blocks, __m256i (&dots)[M][2]) {
    for (int m = 0; m < M; ++m) {
      dots[m][0] = dots[m][1] = _mm256_set1_epi32(starts[static_cast<size_t>(m) * n_blocks]);
    }
  }
};

struct DotQ4 : Dot<8, 256> {
  template <int M>
  static inline void sums(const uint8_t* weights, const int8_t* codes, size_t stride,
                          const int32_t* starts, size_t n_blocks, __m256i (&dots)[M][2]) {
    set_starts<M>(starts, n_blocks, dots);
    const __m256i mask = _mm256_set1_epi8(15);
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      const __m256i both[2] = {load_bytes(weights + 64 * v), load_bytes(weights + 64 * v + 32)};
      add_columns<M>({_mm256_and_si256(both[0], mask), _mm256_and_si256(both[1], mask)}, codes,
                     stride, 4 * v, dots);
      add_columns<M>({_mm256_and_si256(_mm256_srli_epi16(both[0], 4), mask),
                      _mm256_and_si256(_mm256_srli_epi16(both[1], 4), mask)},
                     codes, stride, 16 + 4 * v, dots);
    }
  }
};

struct DotQ8 : Dot<128, 512> {
  template <int M>
  static inline void sums(const uint8_t* weights, const int8_t* codes, size_t stride,
                          const int32_t* starts, size_t n_blocks, __m256i (&dots)[M][2]) {
    set_starts<M>(starts, n_blocks, dots);
#pragma GCC unroll 8
    for (int g = 0; g < 8; ++g) {
      add_columns<M>({load_bytes(weights + 64 * g), load_bytes(weights + 64 * g + 32)}, codes,
                     stride, 4 * g, dots);
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
