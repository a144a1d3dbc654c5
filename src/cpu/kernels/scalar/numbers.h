// 16-bit floats as the scalar kernels see them. Private to kernels/scalar/.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace hymt::cpu {
namespace {

inline float from_f16(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16;
  const uint32_t exponent = (bits >> 10) & 31;
  const uint32_t mantissa = bits & 0x3ff;
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return sign ? -value : value;
  }
  if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000 | mantissa << 13);
  return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

inline uint16_t round_to_f16(float value) {
  const uint32_t bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>(bits >> 16 & 0x8000);
  const float magnitude = std::fabs(value);
  if (!(magnitude < 65520.0f)) {  // rounds to infinity, or is NaN
    return static_cast<uint16_t>(sign | (magnitude != magnitude ? 0x7e00 : 0x7c00));
  }
  if (magnitude < 0x1p-14f) {  // subnormal: a multiple of 2^-24; the addition rounds
    return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::nearbyint(magnitude * 0x1p24f)));
  }
  uint32_t m = bits & 0x7fffffff;
  m += 0xfff + (m >> 13 & 1);  // to nearest, ties to even
  return static_cast<uint16_t>(sign | (m - (112u << 23)) >> 13);
}

inline float from_bf16(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

inline uint16_t round_to_bf16(float value) {
  uint32_t bits = std::bit_cast<uint32_t>(value);
  if (value != value) return static_cast<uint16_t>(bits >> 16 | 0x40);
  bits += 0x7fff + (bits >> 16 & 1);
  return static_cast<uint16_t>(bits >> 16);
}

}  // namespace
}  // namespace hymt::cpu
