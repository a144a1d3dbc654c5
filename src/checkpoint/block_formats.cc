// The scalar definition of each stored type, written to be read: the specification that faster
// code is tested against.
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "checkpoint/quantize.h"

namespace hymt::checkpoint {
namespace {

constexpr int kBlock = 32;  // weights of a block of Q8_0 and Q4_0

uint16_t load16(const std::byte* at) {
  uint16_t bits = 0;
  std::memcpy(&bits, at, sizeof bits);
  return bits;
}
void store16(std::byte* at, uint16_t bits) {
  std::memcpy(at, &bits, sizeof bits);
}

// A weight as a number of steps, cut to the range that is stored. What is no number (it comes only
// from rows that are not finite) becomes 0: a conversion out of range would be undefined.
int to_code(float steps, int low, int high) {
  if (std::isnan(steps)) return 0;
  if (steps <= static_cast<float>(low)) return low;
  if (steps >= static_cast<float>(high)) return high;
  return static_cast<int>(steps);
}

float inverse(float step) {
  return step != 0 ? 1.0f / step : 0.0f;
}

// f16 d, int8 q[32]
void dequantize_q8_0(const std::byte* block, float* out) {
  const float d = f16_to_f32(load16(block));
  for (int i = 0; i < kBlock; ++i) {
    out[i] = d * static_cast<float>(static_cast<int8_t>(block[2 + i]));
  }
}

void quantize_q8_0(const float* in, std::byte* block) {
  float largest = 0;
  for (int i = 0; i < kBlock; ++i) largest = std::fmax(largest, std::fabs(in[i]));
  const float d = largest / 127;
  store16(block, f32_to_f16(d));
  for (int i = 0; i < kBlock; ++i) {
    // Halves are rounded away from zero.
    block[2 + i] = static_cast<std::byte>(to_code(std::round(in[i] * inverse(d)), -127, 127));
  }
}

// f16 d, 16 bytes: weight i in the low half of byte i, weight 16 + i in the high half
void dequantize_q4_0(const std::byte* block, float* out) {
  const float d = f16_to_f32(load16(block));
  for (int i = 0; i < kBlock / 2; ++i) {
    const auto both = static_cast<uint8_t>(block[2 + i]);
    out[i] = d * static_cast<float>((both & 15) - 8);
    out[kBlock / 2 + i] = d * static_cast<float>((both >> 4) - 8);
  }
}

void quantize_q4_0(const float* in, std::byte* block) {
  float largest = 0;  // by magnitude, with its sign: it becomes code 0, that is -8 steps
  for (int i = 0; i < kBlock; ++i) {
    if (std::fabs(in[i]) > std::fabs(largest)) largest = in[i];
  }
  const float d = largest / -8;
  store16(block, f32_to_f16(d));
  const auto code = [&](int i) { return to_code(in[i] * inverse(d) + 8.5f, 0, 15); };
  for (int i = 0; i < kBlock / 2; ++i) {
    block[2 + i] = static_cast<std::byte>(code(i) | (code(kBlock / 2 + i) << 4));
  }
}

}  // namespace

void dequantize_row(DType type, const std::byte* row, int64_t n, float* out) {
  const auto size = static_cast<size_t>(n);
  switch (type) {
    case DType::f32:
      std::memcpy(out, row, size * sizeof *out);
      return;
    case DType::f16:
      for (size_t i = 0; i < size; ++i) out[i] = f16_to_f32(load16(row + 2 * i));
      return;
    case DType::bf16:
      for (size_t i = 0; i < size; ++i) out[i] = bf16_to_f32(load16(row + 2 * i));
      return;
    case DType::q8_0:
      HYMT_CHECK(n % kBlock == 0);
      for (; n > 0; n -= kBlock, row += 34, out += kBlock) dequantize_q8_0(row, out);
      return;
    case DType::q4_0:
      HYMT_CHECK(n % kBlock == 0);
      for (; n > 0; n -= kBlock, row += 18, out += kBlock) dequantize_q4_0(row, out);
      return;
  }
}

void quantize_row(DType type, const float* row, int64_t n, std::byte* out) {
  const auto size = static_cast<size_t>(n);
  switch (type) {
    case DType::f32:
      std::memcpy(out, row, size * sizeof *row);
      return;
    case DType::f16:
      for (size_t i = 0; i < size; ++i) store16(out + 2 * i, f32_to_f16(row[i]));
      return;
    case DType::bf16:
      for (size_t i = 0; i < size; ++i) store16(out + 2 * i, f32_to_bf16(row[i]));
      return;
    case DType::q8_0:
      HYMT_CHECK(n % kBlock == 0);
      for (; n > 0; n -= kBlock, row += kBlock, out += 34) quantize_q8_0(row, out);
      return;
    case DType::q4_0:
      HYMT_CHECK(n % kBlock == 0);
      for (; n > 0; n -= kBlock, row += kBlock, out += 18) quantize_q4_0(row, out);
      return;
  }
}

}  // namespace hymt::checkpoint
