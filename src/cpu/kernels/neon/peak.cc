// Multiply-adds with nothing else: what the processor could do if products were free of loads and
// scales.
#include <arm_neon.h>

#include "cpu/kernels/neon/multiply.h"

namespace hymt::cpu::neon {
namespace {

// As many chains as hide the instruction's latency where four start at a time. The empty assembly
// keeps the compiler from seeing that the factors are constant, and from dropping a round.
constexpr int kChains = 16;

template <class Vector, class Step>
inline double run(int64_t rounds, int64_t operations, Step step) {
  Vector chains[kChains] = {};
  int8x16_t a = vdupq_n_s8(3);
  int8x16_t b = vdupq_n_s8(2);
  asm volatile("" : "+w"(a), "+w"(b));
  for (int64_t round = 0; round < rounds; ++round) {
#pragma GCC unroll 16
    for (int i = 0; i < kChains; ++i) {
      chains[i] = step(chains[i], a, b);
      asm volatile("" : "+w"(chains[i]));
    }
  }
  return static_cast<double>(rounds) * kChains * static_cast<double>(operations);
}

}  // namespace

double peak_int8(int64_t rounds) {
  return run<int32x4_t>(
      rounds, 32, [](int32x4_t sum, int8x16_t a, int8x16_t b) { return vdotq_s32(sum, a, b); });
}

// BF16 is multiplied as floats.
double peak_f32(int64_t rounds) {
  return run<float32x4_t>(rounds, 8, [](float32x4_t sum, int8x16_t a, int8x16_t b) {
    return vfmaq_f32(sum, vreinterpretq_f32_s8(a), vreinterpretq_f32_s8(b));
  });
}

}  // namespace hymt::cpu::neon
