// Sixteen floats in one AVX-512 register: what the kernels of ../lanes/ are written in.
// Internal linkage throughout, see panels.h.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/panels.h"

namespace hymt::cpu {
namespace {

struct Lanes {
  __m512 v;
};

constexpr int kQueriesAtOnce = 8;  // attention: accumulators that fit the registers

inline __mmask16 first_lanes(int n) {
  return static_cast<__mmask16>((1u << n) - 1);
}

inline Lanes zero() {
  return {_mm512_setzero_ps()};
}
inline Lanes all(float x) {
  return {_mm512_set1_ps(x)};
}
inline Lanes load(const float* p) {
  return {_mm512_loadu_ps(p)};
}
inline void store(float* p, Lanes a) {
  _mm512_storeu_ps(p, a.v);
}
// n in [0, 16): the other lanes are zero, their memory is not touched.
inline Lanes load_part(const float* p, int n) {
  return {_mm512_maskz_loadu_ps(first_lanes(n), p)};
}
inline void store_part(float* p, Lanes a, int n) {
  _mm512_mask_storeu_ps(p, first_lanes(n), a.v);
}

inline Lanes load_f16(const uint16_t* p) {
  return {_mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(p)))};
}
inline Lanes load_int8(const int8_t* p) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return {_mm512_cvtepi32_ps(_mm512_cvtepi8_epi32(bytes))};
}
inline void store_f16(uint16_t* p, Lanes a) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                      _mm512_cvtps_ph(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
}
inline void store_bf16(uint16_t* p, Lanes a) {
  // Rounded by integers, as every table does: the instruction would flush subnormals.
  const __m512i bits = _mm512_castps_si512(a.v);
  const __m512i odd = _mm512_and_si512(_mm512_srli_epi32(bits, 16), _mm512_set1_epi32(1));
  const __m512i rounded = _mm512_add_epi32(bits, _mm512_add_epi32(odd, _mm512_set1_epi32(0x7fff)));
  const __mmask16 nan = _mm512_cmp_ps_mask(a.v, a.v, _CMP_UNORD_Q);
  const __m512i kept = _mm512_mask_or_epi32(rounded, nan, bits, _mm512_set1_epi32(0x400000));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p),
                      _mm512_cvtepi32_epi16(_mm512_srli_epi32(kept, 16)));
}

inline Lanes operator+(Lanes a, Lanes b) {
  return {_mm512_add_ps(a.v, b.v)};
}
inline Lanes operator-(Lanes a, Lanes b) {
  return {_mm512_sub_ps(a.v, b.v)};
}
inline Lanes operator*(Lanes a, Lanes b) {
  return {_mm512_mul_ps(a.v, b.v)};
}
inline Lanes operator/(Lanes a, Lanes b) {
  return {_mm512_div_ps(a.v, b.v)};
}
inline Lanes multiply_add(Lanes a, Lanes b, Lanes c) {
  return {_mm512_fmadd_ps(a.v, b.v, c.v)};
}
// The second where one of them is NaN.
inline Lanes greater(Lanes a, Lanes b) {
  return {_mm512_max_ps(a.v, b.v)};
}
inline Lanes lesser(Lanes a, Lanes b) {
  return {_mm512_min_ps(a.v, b.v)};
}
inline Lanes magnitude(Lanes a) {
  return {_mm512_abs_ps(a.v)};
}
inline Lanes nearest(Lanes a) {
  return {_mm512_roundscale_ps(a.v, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC)};
}
// a * 2^n for whole n; 0 where that is too small.
inline Lanes scale_by_power(Lanes a, Lanes n) {
  return {_mm512_scalef_ps(a.v, n.v)};
}
// Lanes [0, n) of a, the rest of b.
inline Lanes first_of(Lanes a, int n, Lanes b) {
  return {_mm512_mask_mov_ps(b.v, first_lanes(n), a.v)};
}
// Bit i: lane i is equal in both.
inline unsigned equal_lanes(Lanes a, Lanes b) {
  return _mm512_cmp_ps_mask(a.v, b.v, _CMP_EQ_OQ);
}

// Trees of one shape, whatever the values.
inline float sum_of(Lanes a) {
  const __m256 eight = _mm256_add_ps(_mm512_castps512_ps256(a.v), _mm512_extractf32x8_ps(a.v, 1));
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
inline float greatest_of(Lanes a) {
  return _mm512_reduce_max_ps(a.v);
}
inline float first_lane(Lanes a) {
  return _mm512_cvtss_f32(a.v);
}

// Whole numbers within int8, and their sum.
inline int store_int8(int8_t* p, Lanes a) {
  const __m512i whole = _mm512_cvtps_epi32(a.v);
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), _mm512_cvtepi32_epi8(whole));
  return _mm512_reduce_add_epi32(whole);
}

}  // namespace
}  // namespace hymt::cpu
