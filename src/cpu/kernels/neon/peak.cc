#include <arm_neon.h>

#include "cpu/kernels/lanes/peak.h"
#include "cpu/kernels/neon/multiply.h"

namespace hymt::cpu::neon {
namespace {

template <class Sum, class Step>
inline double run(int64_t rounds, int operations, Step step) {
  return run_peak<16, Sum>(rounds, operations, vdupq_n_s8(3), vdupq_n_s8(2), step);
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
