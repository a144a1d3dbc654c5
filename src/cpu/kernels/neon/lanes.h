// Sixteen floats in four NEON registers: what the kernels of ../lanes/ are written in.
// Internal linkage throughout, see panels.h.
#pragma once

#include <arm_neon.h>

#include "cpu/kernels/panels.h"

namespace hymt::cpu {
namespace {

struct Lanes {
  float32x4_t quarter[4];  // lanes 0-3, 4-7, 8-11, 12-15
};

constexpr int kQueriesAtOnce = 4;  // attention: accumulators that fit the registers

// f(i) for each quarter.
template <class Function>
inline Lanes by_quarters(Function f) {
  return {{f(0), f(1), f(2), f(3)}};
}

// All ones in those of lanes 4i to 4i + 3 that are in [0, n), for any n.
inline uint32x4_t first_lanes(int n, int i) {
  const int32x4_t numbers = {0, 1, 2, 3};
  return vcltq_s32(numbers, vdupq_n_s32(n - 4 * i));
}

inline Lanes all(float x) {
  return by_quarters([=](int) { return vdupq_n_f32(x); });
}
inline Lanes zero() {
  return all(0);
}
inline Lanes load(const float* p) {
  return by_quarters([=](int i) { return vld1q_f32(p + 4 * i); });
}
inline void store(float* p, Lanes x) {
  for (int i = 0; i < 4; ++i) vst1q_f32(p + 4 * i, x.quarter[i]);
}
// n in [0, 16): the other lanes are zero, their memory is not touched.
inline Lanes load_part(const float* p, int n) {
  float part[16] = {};
  for (int i = 0; i < n; ++i) part[i] = p[i];
  return load(part);
}
inline void store_part(float* p, Lanes x, int n) {
  float part[16];
  store(part, x);
  for (int i = 0; i < n; ++i) p[i] = part[i];
}

inline float32x4_t load_f16_quarter(const uint16_t* p) {
  return vcvt_f32_f16(vreinterpret_f16_u16(vld1_u16(p)));
}
inline Lanes load_f16(const uint16_t* p) {
  return by_quarters([=](int i) { return load_f16_quarter(p + 4 * i); });
}
inline Lanes load_int8(const int8_t* p) {
  const int8x16_t bytes = vld1q_s8(p);
  const int16x8_t low = vmovl_s8(vget_low_s8(bytes)), high = vmovl_high_s8(bytes);
  return {{vcvtq_f32_s32(vmovl_s16(vget_low_s16(low))), vcvtq_f32_s32(vmovl_high_s16(low)),
           vcvtq_f32_s32(vmovl_s16(vget_low_s16(high))), vcvtq_f32_s32(vmovl_high_s16(high))}};
}
inline void store_f16(uint16_t* p, Lanes x) {
  for (int i = 0; i < 4; ++i) {
    vst1_u16(p + 4 * i, vreinterpret_u16_f16(vcvt_f16_f32(x.quarter[i])));
  }
}
inline uint16x4_t rounded_to_bf16(float32x4_t x) {
  const uint32x4_t bits = vreinterpretq_u32_f32(x);
  const uint32x4_t odd = vandq_u32(vshrq_n_u32(bits, 16), vdupq_n_u32(1));
  const uint32x4_t rounded = vaddq_u32(bits, vaddq_u32(odd, vdupq_n_u32(0x7fff)));
  const uint32x4_t quiet = vorrq_u32(bits, vdupq_n_u32(0x400000));
  return vshrn_n_u32(vbslq_u32(vceqq_f32(x, x), rounded, quiet), 16);
}
inline void store_bf16(uint16_t* p, Lanes x) {
  for (int i = 0; i < 4; ++i) vst1_u16(p + 4 * i, rounded_to_bf16(x.quarter[i]));
}

inline Lanes operator+(Lanes x, Lanes y) {
  return by_quarters([&](int i) { return vaddq_f32(x.quarter[i], y.quarter[i]); });
}
inline Lanes operator-(Lanes x, Lanes y) {
  return by_quarters([&](int i) { return vsubq_f32(x.quarter[i], y.quarter[i]); });
}
inline Lanes operator*(Lanes x, Lanes y) {
  return by_quarters([&](int i) { return vmulq_f32(x.quarter[i], y.quarter[i]); });
}
inline Lanes operator/(Lanes x, Lanes y) {
  return by_quarters([&](int i) { return vdivq_f32(x.quarter[i], y.quarter[i]); });
}
inline Lanes multiply_add(Lanes x, Lanes y, Lanes z) {
  return by_quarters([&](int i) { return vfmaq_f32(z.quarter[i], x.quarter[i], y.quarter[i]); });
}
// The second where one of them is NaN: a comparison and a choice, because FMAX would give the NaN.
inline Lanes greater(Lanes x, Lanes y) {
  return by_quarters([&](int i) {
    return vbslq_f32(vcgtq_f32(x.quarter[i], y.quarter[i]), x.quarter[i], y.quarter[i]);
  });
}
inline Lanes lesser(Lanes x, Lanes y) {
  return by_quarters([&](int i) {
    return vbslq_f32(vcltq_f32(x.quarter[i], y.quarter[i]), x.quarter[i], y.quarter[i]);
  });
}
inline Lanes magnitude(Lanes x) {
  return by_quarters([&](int i) { return vabsq_f32(x.quarter[i]); });
}
inline Lanes nearest(Lanes x) {
  return by_quarters([&](int i) { return vrndnq_f32(x.quarter[i]); });
}
inline float32x4_t scale_by_power(float32x4_t x, float32x4_t n) {
  const int32x4_t exponent = vaddq_s32(vcvtq_s32_f32(n), vdupq_n_s32(127));
  const float32x4_t power = vreinterpretq_f32_s32(vshlq_n_s32(exponent, 23));
  const uint32x4_t normal = vcgeq_f32(n, vdupq_n_f32(-126));
  return vreinterpretq_f32_u32(vandq_u32(vreinterpretq_u32_f32(vmulq_f32(x, power)), normal));
}
// x * 2^n for whole n up to 127; 0 where 2^n is too small.
inline Lanes scale_by_power(Lanes x, Lanes n) {
  return by_quarters([&](int i) { return scale_by_power(x.quarter[i], n.quarter[i]); });
}
// Lanes [0, n) of x, the rest of y.
inline Lanes first_of(Lanes x, int n, Lanes y) {
  return by_quarters(
      [&](int i) { return vbslq_f32(first_lanes(n, i), x.quarter[i], y.quarter[i]); });
}
// Bit i: lane i is equal in both.
inline unsigned equal_lanes(Lanes x, Lanes y) {
  uint32x4_t equal = vdupq_n_u32(0);
  for (int i = 0; i < 4; ++i) {
    const uint32x4_t bits = {1u << 4 * i, 2u << 4 * i, 4u << 4 * i, 8u << 4 * i};
    equal = vorrq_u32(equal, vandq_u32(vceqq_f32(x.quarter[i], y.quarter[i]), bits));
  }
  return vaddvq_u32(equal);
}

// Trees of one shape, whatever the values.
inline float sum_of(Lanes x) {
  return vaddvq_f32(
      vaddq_f32(vaddq_f32(x.quarter[0], x.quarter[1]), vaddq_f32(x.quarter[2], x.quarter[3])));
}
inline float greatest_of(Lanes x) {
  return vmaxvq_f32(
      vmaxq_f32(vmaxq_f32(x.quarter[0], x.quarter[1]), vmaxq_f32(x.quarter[2], x.quarter[3])));
}
inline float first_lane(Lanes x) {
  return vgetq_lane_f32(x.quarter[0], 0);
}

// Whole numbers within int8, and their sum.
inline int store_int8(int8_t* p, Lanes x) {
  int32x4_t whole[4];
  for (int i = 0; i < 4; ++i) whole[i] = vcvtq_s32_f32(x.quarter[i]);
  const int16x8_t low = vcombine_s16(vmovn_s32(whole[0]), vmovn_s32(whole[1]));
  const int16x8_t high = vcombine_s16(vmovn_s32(whole[2]), vmovn_s32(whole[3]));
  vst1q_s8(p, vcombine_s8(vmovn_s16(low), vmovn_s16(high)));
  return vaddvq_s32(vaddq_s32(vaddq_s32(whole[0], whole[1]), vaddq_s32(whole[2], whole[3])));
}

}  // namespace
}  // namespace hymt::cpu
