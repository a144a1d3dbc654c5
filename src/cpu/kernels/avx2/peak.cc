// Multiply-adds with nothing else: what the processor could do if products were free of loads and
// scales.
#include <immintrin.h>

#include "cpu/kernels/avx2/multiply.h"

namespace hymt::cpu::avx2 {
namespace {

// As many chains as hide the instructions' latency. The empty assembly keeps the compiler from
// seeing that the factors are constant, and from dropping a round.
constexpr int kChains = 10;

template <class Vector, class Step>
inline double run(int64_t rounds, int64_t operations, Step step) {
  Vector chains[kChains] = {};
  __m256i a = _mm256_set1_epi8(3);
  __m256i b = _mm256_set1_epi8(2);
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 10
    for (int i = 0; i < kChains; ++i) {
      asm volatile("" : "+x"(a), "+x"(b));
      chains[i] = step(chains[i], a, b);
      asm volatile("" : "+x"(chains[i]));
    }
  }
  return static_cast<double>(rounds) * kChains * static_cast<double>(operations);
}

}  // namespace

// 4-bit weights: sums of a block stay in 16 bits.
double peak_q4(int64_t rounds) {
  return run<__m256i>(rounds, 64, [](__m256i sum, __m256i a, __m256i b) {
    return _mm256_add_epi16(sum, _mm256_maddubs_epi16(a, b));
  });
}

double peak_q8(int64_t rounds) {
  return run<__m256i>(rounds, 64, [](__m256i sum, __m256i a, __m256i b) {
    const __m256i pairs = _mm256_maddubs_epi16(a, b);
    return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
  });
}

// BF16 is multiplied as floats.
double peak_f32(int64_t rounds) {
  return run<__m256>(rounds, 16, [](__m256 sum, __m256i a, __m256i b) {
    return _mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), sum);
  });
}

}  // namespace hymt::cpu::avx2
