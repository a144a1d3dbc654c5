// Multiply-adds with nothing else: what the processor could do if products were free of loads and
// scales.
#include <immintrin.h>

#include "cpu/kernels/avx512/multiply.h"

namespace hymt::cpu::avx512 {
namespace {

// As many chains as hide the instruction's latency. The empty assembly keeps the compiler from
// seeing that the factors are constant, and from dropping a round.
constexpr int kChains = 16;

template <class Vector, class Step>
inline double run(int64_t rounds, int64_t operations, Step step) {
  Vector chains[kChains] = {};
  __m512i a = _mm512_set1_epi8(3);
  __m512i b = _mm512_set1_epi8(2);
  asm volatile("" : "+v"(a), "+v"(b));
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (int i = 0; i < kChains; ++i) {
      chains[i] = step(chains[i], a, b);
      asm volatile("" : "+v"(chains[i]));
    }
  }
  return static_cast<double>(rounds) * kChains * static_cast<double>(operations);
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
