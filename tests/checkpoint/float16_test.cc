#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "checkpoint/quantize.h"

namespace hymt::checkpoint {
namespace {

// The value of a binary16 number by IEEE 754's definition.
double f16_by_definition(int bits) {
  const int exponent = (bits >> 10) & 31, mantissa = bits & 1023;
  const double magnitude =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return bits & 0x8000 ? -magnitude : magnitude;
}

bool finite_f16(int bits) {
  return ((bits >> 10) & 31) != 31;
}

TEST(Float16, EveryFiniteHalfHasTheValueOfItsDefinition) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    if (!finite_f16(bits)) continue;
    EXPECT_EQ(f16_to_f32(static_cast<uint16_t>(bits)), f16_by_definition(bits)) << bits;
  }
}

TEST(Float16, EveryFiniteHalfComesBackUnchanged) {
  for (int bits = 0; bits < 0x10000; ++bits) {
    if (!finite_f16(bits)) continue;
    EXPECT_EQ(f32_to_f16(f16_to_f32(static_cast<uint16_t>(bits))), bits);
  }
}

TEST(Float16, BetweenTwoHalvesTheNearerIsTakenAndTheEvenOneOfATie) {
  for (int bits = 0; bits < 0x7BFF; ++bits) {  // positive, up to the last finite pair
    const double low = f16_by_definition(bits), high = f16_by_definition(bits + 1);
    const auto middle = static_cast<float>((low + high) / 2);  // exact
    const int even = bits % 2 == 0 ? bits : bits + 1;
    EXPECT_EQ(f32_to_f16(middle), even) << bits;
    EXPECT_EQ(f32_to_f16(-middle), even | 0x8000) << bits;
    EXPECT_EQ(f32_to_f16(std::nextafter(middle, 0.0f)), bits);
    EXPECT_EQ(f32_to_f16(std::nextafter(middle, 1e9f)), bits + 1);
  }
}

TEST(Float16, OverflowsToInfinityAndKeepsNaN) {
  EXPECT_EQ(f32_to_f16(65504), 0x7BFF);
  EXPECT_EQ(f32_to_f16(std::nextafter(65520.0f, 0.0f)), 0x7BFF);
  EXPECT_EQ(f32_to_f16(65520), 0x7C00);
  EXPECT_EQ(f32_to_f16(-1e30f), 0xFC00);
  EXPECT_EQ(f16_to_f32(0x7C00), std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(f16_to_f32(0x7C01)));
  EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(std::nanf("")))));
  // A NaN whose payload lies in the low bits must not turn into infinity.
  EXPECT_TRUE(std::isnan(f16_to_f32(f32_to_f16(std::bit_cast<float>(0x7F800001u)))));
}

TEST(BFloat16, IsTheUpperHalfOfAFloat) {
  EXPECT_EQ(bf16_to_f32(0x3F80), 1.0f);
  EXPECT_EQ(bf16_to_f32(0xC049), -3.140625f);
  EXPECT_EQ(f32_to_bf16(-3.140625f), 0xC049);
}

TEST(BFloat16, RoundsToNearestAndTiesToEven) {
  EXPECT_EQ(f32_to_bf16(1.0f + 0x1p-8f), 0x3F80);             // a tie, down to even
  EXPECT_EQ(f32_to_bf16(1.0f + 3 * 0x1p-8f), 0x3F82);         // a tie, up to even
  EXPECT_EQ(f32_to_bf16(1.0f + 0x1p-8f + 0x1p-23f), 0x3F81);  // just past one
  EXPECT_EQ(f32_to_bf16(std::numeric_limits<float>::max()), 0x7F80);
}

TEST(BFloat16, KeepsNaNWhereverItsPayloadLies) {
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::bit_cast<float>(0x7F800001u)))));
  EXPECT_TRUE(std::isnan(bf16_to_f32(f32_to_bf16(std::bit_cast<float>(0xFFFFFFFFu)))));
}

}  // namespace
}  // namespace hymt::checkpoint
