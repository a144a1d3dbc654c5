#include "bench/random_weights.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numbers>

#include "base/check.h"
#include "bench/random_number.h"
#include "checkpoint/quantize.h"

namespace hymt::bench {
namespace {

using checkpoint::DType;

constexpr size_t kTableSize = 1 << 16;

// The deviation of a block's codes: the largest of 32 normal numbers, which the format maps to 127
// or 8 steps, is about 2.2 deviations.
double code_deviation(DType type) {
  return type == DType::q8_0 ? 127 / 2.2 : 8 / 2.2;
}

double normal(Random& random) {  // Box and Muller
  const double radius = std::sqrt(-2 * std::log(1 - random.uniform()));
  return radius * std::cos(2 * std::numbers::pi * random.uniform());
}

uint32_t code(DType type, Random& random) {
  const double steps = std::round(normal(random) * code_deviation(type));
  if (type == DType::q8_0) {
    return static_cast<uint8_t>(static_cast<int8_t>(std::clamp(steps, -127.0, 127.0)));
  }
  return static_cast<uint32_t>(std::clamp(steps + 8, 0.0, 15.0));
}

uint32_t entry(DType type, double mean, double deviation, Random& random) {
  const auto weight = [&] { return static_cast<float>(mean + deviation * normal(random)); };
  switch (type) {
    case DType::f32:
      return std::bit_cast<uint32_t>(weight());
    case DType::f16:
      return checkpoint::f32_to_f16(weight());
    case DType::bf16:
      return checkpoint::f32_to_bf16(weight());
    case DType::q8_0: {
      const uint32_t low = code(type, random);
      return low | code(type, random) << 8;
    }
    case DType::q4_0: {
      const uint32_t low = code(type, random);
      return low | code(type, random) << 4;
    }
  }
  return 0;
}

// Bytes that one look-up gives.
size_t entry_bytes(DType type) {
  return type == DType::f32 ? 4 : type == DType::q4_0 ? 1 : 2;
}

// Looks up `count` entries of kBytes each.
template <size_t kBytes>
void look_up(const std::vector<uint32_t>& table, Random& random, size_t count, std::byte* out) {
  for (size_t i = 0; i < count;) {
    uint64_t bits = random.next();
    for (int k = 0; k < 4 && i < count; ++k, ++i, bits >>= 16) {
      std::memcpy(out + i * kBytes, &table[bits & 0xFFFF], kBytes);
    }
  }
}

void look_up(size_t bytes, const std::vector<uint32_t>& table, Random& random, size_t count,
             std::byte* out) {
  if (bytes == 1) return look_up<1>(table, random, count, out);
  if (bytes == 2) return look_up<2>(table, random, count, out);
  look_up<4>(table, random, count, out);
}

uint64_t row_seed(uint64_t seed, int64_t row) {
  return Random(seed ^ (static_cast<uint64_t>(row) + 1) * 0xD1342543DE82EF95u).next();
}

}  // namespace

RandomRows::RandomRows(DType type, double mean, double deviation)
    : type_(type), deviation_(deviation), table_(kTableSize) {
  HYMT_CHECK(mean == 0 || checkpoint::block_shape(type).elements == 1);
  Random random(0x68796D74);
  for (uint32_t& one : table_) one = entry(type, mean, deviation, random);
}

void RandomRows::fill(uint64_t seed, int64_t row, int64_t n, std::byte* out) const {
  if (checkpoint::block_shape(type_).elements > 1) return fill_blocks(seed, row, n, out);
  Random random(row_seed(seed, row));
  look_up(entry_bytes(type_), table_, random, static_cast<size_t>(n), out);
}

void RandomRows::fill_blocks(uint64_t seed, int64_t row, int64_t n, std::byte* out) const {
  Random random(row_seed(seed, row));
  const auto shape = checkpoint::block_shape(type_);
  const size_t code_bytes = static_cast<size_t>(shape.bytes) - sizeof(uint16_t);
  const size_t per_entry = entry_bytes(type_);
  const double step = deviation_ / code_deviation(type_);
  for (int64_t i = 0; i < n; i += shape.elements, out += shape.bytes) {
    const uint64_t bits = random.next();
    // Steps differ by up to a third, and are of either sign in Q4_0, as its definition makes them.
    const double size = step * (2.0 / 3 + static_cast<double>(bits >> 32) * 0x1p-32 * 2 / 3);
    const bool negative = type_ == DType::q4_0 && (bits & 1);
    const uint16_t d = checkpoint::f32_to_f16(static_cast<float>(negative ? -size : size));
    std::memcpy(out, &d, sizeof d);
    look_up(per_entry, table_, random, code_bytes / per_entry, out + sizeof d);
  }
}

}  // namespace hymt::bench
