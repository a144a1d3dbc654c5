// Multiply-adds with nothing else: what the processor could do if products were free of loads and
// scales. Internal linkage, see panels.h.
#pragma once

#include <immintrin.h>
#include <stdint.h>

namespace hymt::cpu {
namespace {

// As many chains as hide the instructions' latency. The empty assembly keeps the compiler from
// seeing that the factors are constant, and from dropping a round.
constexpr int kChains = 10;

template <class Vector, class Step>
inline double run_peak(int64_t rounds, int64_t operations, Step step) {
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
}  // namespace hymt::cpu
