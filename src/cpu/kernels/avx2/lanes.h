// Sixteen floats in two AVX2 registers: what the kernels of ../lanes/ are written in.
// Internal linkage throughout, see panels.h.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/panels.h"

namespace hymt::cpu {
namespace {

struct Lanes {
  __m256 a;  // lanes 0-7
  __m256 b;  // lanes 8-15
};

constexpr int kQueriesAtOnce = 4;  // attention: accumulators that fit the registers

// All ones in lanes [0, n) of 8, for any n.
inline __m256i first_lanes(int n) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(n), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}

inline Lanes all(float x) {
  return {_mm256_set1_ps(x), _mm256_set1_ps(x)};
}
inline Lanes zero() {
  return {_mm256_setzero_ps(), _mm256_setzero_ps()};
}
inline Lanes load(const float* p) {
  return {_mm256_loadu_ps(p), _mm256_loadu_ps(p + 8)};
}
inline void store(float* p, Lanes x) {
  _mm256_storeu_ps(p, x.a);
  _mm256_storeu_ps(p + 8, x.b);
}
// n in [0, 16): the other lanes are zero, their memory is not touched.
inline Lanes load_part(const float* p, int n) {
  return {_mm256_maskload_ps(p, first_lanes(n)), _mm256_maskload_ps(p + 8, first_lanes(n - 8))};
}
inline void store_part(float* p, Lanes x, int n) {
  _mm256_maskstore_ps(p, first_lanes(n), x.a);
  _mm256_maskstore_ps(p + 8, first_lanes(n - 8), x.b);
}

inline Lanes load_f16(const uint16_t* p) {
  const auto* halves = reinterpret_cast<const __m128i*>(p);
  return {_mm256_cvtph_ps(_mm_loadu_si128(halves)), _mm256_cvtph_ps(_mm_loadu_si128(halves + 1))};
}
inline Lanes load_int8(const int8_t* p) {
  const __m128i bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(p));
  return {_mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(bytes)),
          _mm256_cvtepi32_ps(_mm256_cvtepi8_epi32(_mm_srli_si128(bytes, 8)))};
}
inline void store_f16(uint16_t* p, Lanes x) {
  auto* halves = reinterpret_cast<__m128i*>(p);
  constexpr int kRound = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  _mm_storeu_si128(halves, _mm256_cvtps_ph(x.a, kRound));
  _mm_storeu_si128(halves + 1, _mm256_cvtps_ph(x.b, kRound));
}
// In the low halves of the 8 words.
inline __m256i rounded_to_bf16(__m256 x) {
  const __m256i bits = _mm256_castps_si256(x);
  const __m256i odd = _mm256_and_si256(_mm256_srli_epi32(bits, 16), _mm256_set1_epi32(1));
  const __m256i rounded = _mm256_add_epi32(bits, _mm256_add_epi32(odd, _mm256_set1_epi32(0x7fff)));
  const __m256i quiet = _mm256_or_si256(bits, _mm256_set1_epi32(0x400000));
  const __m256i nan = _mm256_castps_si256(_mm256_cmp_ps(x, x, _CMP_UNORD_Q));
  return _mm256_srli_epi32(_mm256_blendv_epi8(rounded, quiet, nan), 16);
}
inline void store_bf16(uint16_t* p, Lanes x) {
  // The pack interleaves the 128-bit halves; the permutation puts them in order.
  const __m256i packed = _mm256_packus_epi32(rounded_to_bf16(x.a), rounded_to_bf16(x.b));
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(p), _mm256_permute4x64_epi64(packed, 0xd8));
}

inline Lanes operator+(Lanes x, Lanes y) {
  return {_mm256_add_ps(x.a, y.a), _mm256_add_ps(x.b, y.b)};
}
inline Lanes operator-(Lanes x, Lanes y) {
  return {_mm256_sub_ps(x.a, y.a), _mm256_sub_ps(x.b, y.b)};
}
inline Lanes operator*(Lanes x, Lanes y) {
  return {_mm256_mul_ps(x.a, y.a), _mm256_mul_ps(x.b, y.b)};
}
inline Lanes operator/(Lanes x, Lanes y) {
  return {_mm256_div_ps(x.a, y.a), _mm256_div_ps(x.b, y.b)};
}
inline Lanes multiply_add(Lanes x, Lanes y, Lanes z) {
  return {_mm256_fmadd_ps(x.a, y.a, z.a), _mm256_fmadd_ps(x.b, y.b, z.b)};
}
// The second where one of them is NaN.
inline Lanes greater(Lanes x, Lanes y) {
  return {_mm256_max_ps(x.a, y.a), _mm256_max_ps(x.b, y.b)};
}
inline Lanes lesser(Lanes x, Lanes y) {
  return {_mm256_min_ps(x.a, y.a), _mm256_min_ps(x.b, y.b)};
}
inline Lanes magnitude(Lanes x) {
  const __m256 sign = _mm256_set1_ps(-0.0f);
  return {_mm256_andnot_ps(sign, x.a), _mm256_andnot_ps(sign, x.b)};
}
inline Lanes nearest(Lanes x) {
  constexpr int kRound = _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC;
  return {_mm256_round_ps(x.a, kRound), _mm256_round_ps(x.b, kRound)};
}
inline __m256 scale_by_power(__m256 x, __m256 n) {
  const __m256i exponent = _mm256_add_epi32(_mm256_cvtps_epi32(n), _mm256_set1_epi32(127));
  const __m256 power = _mm256_castsi256_ps(_mm256_slli_epi32(exponent, 23));
  const __m256 normal = _mm256_cmp_ps(n, _mm256_set1_ps(-126), _CMP_GE_OQ);
  return _mm256_and_ps(_mm256_mul_ps(x, power), normal);
}
// x * 2^n for whole n up to 127; 0 where 2^n is too small.
inline Lanes scale_by_power(Lanes x, Lanes n) {
  return {scale_by_power(x.a, n.a), scale_by_power(x.b, n.b)};
}
// Lanes [0, n) of x, the rest of y.
inline Lanes first_of(Lanes x, int n, Lanes y) {
  const __m256 low = _mm256_castsi256_ps(first_lanes(n));
  const __m256 high = _mm256_castsi256_ps(first_lanes(n - 8));
  return {_mm256_blendv_ps(y.a, x.a, low), _mm256_blendv_ps(y.b, x.b, high)};
}
// Bit i: lane i is equal in both.
inline unsigned equal_lanes(Lanes x, Lanes y) {
  const int low = _mm256_movemask_ps(_mm256_cmp_ps(x.a, y.a, _CMP_EQ_OQ));
  const int high = _mm256_movemask_ps(_mm256_cmp_ps(x.b, y.b, _CMP_EQ_OQ));
  return static_cast<unsigned>(low | high << 8);
}

// Trees of one shape, whatever the values.
inline float sum_of(Lanes x) {
  const __m256 eight = _mm256_add_ps(x.a, x.b);
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}
inline float greatest_of(Lanes x) {
  const __m256 eight = _mm256_max_ps(x.a, x.b);
  __m128 four = _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
  four = _mm_max_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_max_ss(four, _mm_movehdup_ps(four)));
}
inline float first_lane(Lanes x) {
  return _mm256_cvtss_f32(x.a);
}

// Whole numbers within int8, and their sum.
inline int store_int8(int8_t* p, Lanes x) {
  const __m256i low = _mm256_cvtps_epi32(x.a);
  const __m256i high = _mm256_cvtps_epi32(x.b);
  const __m256i words = _mm256_permute4x64_epi64(_mm256_packs_epi32(low, high), 0xd8);
  const __m128i bytes =
      _mm_packs_epi16(_mm256_castsi256_si128(words), _mm256_extracti128_si256(words, 1));
  _mm_storeu_si128(reinterpret_cast<__m128i*>(p), bytes);
  const __m256i eight = _mm256_add_epi32(low, high);
  __m128i four = _mm_add_epi32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256(eight, 1));
  four = _mm_add_epi32(four, _mm_shuffle_epi32(four, 0x4e));
  return _mm_cvtsi128_si32(_mm_add_epi32(four, _mm_shuffle_epi32(four, 0xb1)));
}

}  // namespace
}  // namespace hymt::cpu
