#include "cpu/kernels/avx2/peak.h"

#include "cpu/kernels/avx2/multiply.h"

namespace hymt::cpu::avx2 {

// 4-bit weights: sums of a block stay in 16 bits.
double peak_q4(int64_t rounds) {
  return run<__m256i>(rounds, 64, [](__m256i sum, __m256i a, __m256i b) {
    return _mm256_add_epi16(sum, _mm256_maddubs_epi16(a, b));
  });
}

// 8-bit weights are multiplied in 16 bits.
double peak_q8(int64_t rounds) {
  return run<__m256i>(rounds, 32, [](__m256i sum, __m256i a, __m256i b) {
    return _mm256_add_epi32(sum, _mm256_madd_epi16(a, b));
  });
}

// BF16 is multiplied as floats.
double peak_f32(int64_t rounds) {
  return run<__m256>(rounds, 16, [](__m256 sum, __m256i a, __m256i b) {
    return _mm256_fmadd_ps(_mm256_castsi256_ps(a), _mm256_castsi256_ps(b), sum);
  });
}

}  // namespace hymt::cpu::avx2
