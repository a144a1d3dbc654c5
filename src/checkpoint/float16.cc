// The 16-bit floats in integer arithmetic: the baseline machine has no instruction for them, and
// the result must not depend on the machine.
#include <bit>
#include <cstdint>

#include "checkpoint/quantize.h"

namespace hymt::checkpoint {

float f16_to_f32(uint16_t bits) {
  const uint32_t sign = (bits & 0x8000u) << 16;
  const uint32_t exponent = (bits >> 10) & 0x1F;
  const uint32_t mantissa = bits & 0x3FFu;
  if (exponent == 0x1F) return std::bit_cast<float>(sign | 0x7F800000u | (mantissa << 13));
  if (exponent == 0) {  // zero or subnormal: mantissa * 2^-24, exact in float
    const float value = static_cast<float>(mantissa) * 0x1p-24f;
    return std::bit_cast<float>(std::bit_cast<uint32_t>(value) | sign);
  }
  return std::bit_cast<float>(sign | ((exponent + 112) << 23) | (mantissa << 13));
}

uint16_t f32_to_f16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  const auto sign = static_cast<uint16_t>((bits >> 16) & 0x8000u);
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  const auto out = [sign](uint32_t rest) { return static_cast<uint16_t>(sign | rest); };
  if (magnitude > 0x7F800000u) return out(0x7E00u | ((magnitude >> 13) & 0x3FFu));  // NaN, quiet
  if (magnitude >= 0x47800000u) return out(0x7C00u);                                // from 2^16 up
  // A subnormal half: a multiple of 2^-24. Below 2^-25 (and at it, to even) that multiple is 0.
  const bool subnormal = magnitude < 0x38800000u;
  if (magnitude <= 0x33000000u) return out(0);
  const uint32_t shift = subnormal ? 126 - (magnitude >> 23) : 13;
  const uint32_t significand =
      subnormal ? (magnitude & 0x7FFFFFu) | 0x800000u : magnitude - (112u << 23);
  // Round to nearest, ties to even; a carry runs into the exponent, and from the top into infinity,
  // as it should.
  const uint32_t half = 1u << (shift - 1);
  const uint32_t odd = (significand >> shift) & 1;
  return out((significand + half - 1 + odd) >> shift);
}

float bf16_to_f32(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

uint16_t f32_to_bf16(float value) {
  const auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7FFFFFFFu) > 0x7F800000u) return static_cast<uint16_t>((bits >> 16) | 0x40u);
  return static_cast<uint16_t>((bits + 0x7FFFu + ((bits >> 16) & 1)) >> 16);
}

}  // namespace hymt::checkpoint
