#include <immintrin.h>

#include "cpu/kernels/avx512/multiply.h"
#include "cpu/kernels/lanes/peak.h"

namespace hymt::cpu::avx512 {
namespace {

template <class Sum, class Step>
inline double run(int64_t rounds, int operations, Step step) {
  return run_peak<16, Sum>(rounds, operations, _mm512_set1_epi8(3), _mm512_set1_epi8(2), step);
}

}  // namespace

double peak_int8(int64_t rounds) {
  return run<__m512i>(rounds, 128, [](__m512i sum, __m512i a, __m512i b) {
    return _mm512_dpbusd_epi32(sum, a, b);
  });
}

double peak_bf16(int64_t rounds) {
  return run<__m512>(rounds, 64, [](__m512 sum, __m512i a, __m512i b) {
    return _mm512_dpbf16_ps(sum, reinterpret_cast<__m512bh>(a), reinterpret_cast<__m512bh>(b));
  });
}

double peak_f32(int64_t rounds) {
  return run<__m512>(rounds, 32, [](__m512 sum, __m512i a, __m512i b) {
    return _mm512_fmadd_ps(_mm512_castsi512_ps(a), _mm512_castsi512_ps(b), sum);
  });
}

}  // namespace hymt::cpu::avx512
