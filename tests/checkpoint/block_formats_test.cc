// Vectors worked out by hand from the definition of the block formats, and by NumPy
// (tests/data/block_formats/make.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "checkpoint/quantize.h"
#include "support/shared_data.h"

namespace hymt::checkpoint {
namespace {

using testing::Each;
using testing::ElementsAreArray;

std::vector<int> quantized(DType type, const std::vector<float>& row) {
  std::vector<std::byte> bytes(row_bytes(type, static_cast<int64_t>(row.size())));
  quantize_row(type, row.data(), static_cast<int64_t>(row.size()), bytes.data());
  std::vector<int> out;
  for (const std::byte one : bytes) out.push_back(static_cast<int>(one));
  return out;
}

std::vector<float> dequantized(DType type, const std::vector<int>& bytes, int64_t n) {
  std::vector<std::byte> row;
  for (const int one : bytes) row.push_back(static_cast<std::byte>(one));
  std::vector<float> out(static_cast<size_t>(n));
  dequantize_row(type, row.data(), n, out.data());
  return out;
}

// 1.0 and 2.0 as binary16, low byte first.
constexpr int kOne[] = {0x00, 0x3C};
constexpr int kTwo[] = {0x00, 0x40};

TEST(Q8_0, StoresSignedStepsOfTheLargestMagnitudeOver127) {
  std::vector<float> row(32, 0.0f);
  row[0] = 127, row[1] = -127, row[2] = 3, row[3] = -3, row[4] = 0.5f, row[5] = -0.5f;
  row[6] = 0.49f, row[7] = 1.5f, row[31] = -100;
  std::vector<int> bytes(34, 0);
  bytes[0] = kOne[0], bytes[1] = kOne[1];
  bytes[2] = 127, bytes[3] = 256 - 127, bytes[4] = 3, bytes[5] = 256 - 3;
  bytes[6] = 1, bytes[7] = 256 - 1;  // halves go away from zero
  bytes[8] = 0, bytes[9] = 2, bytes[33] = 256 - 100;
  EXPECT_THAT(quantized(DType::q8_0, row), ElementsAreArray(bytes));
}

TEST(Q8_0, ReadsStepTimesCode) {
  std::vector<int> bytes(68, 0);
  bytes[0] = kTwo[0], bytes[1] = kTwo[1], bytes[2] = 0x80, bytes[33] = 127;
  bytes[34] = kOne[0], bytes[35] = kOne[1], bytes[36] = 5;
  const auto row = dequantized(DType::q8_0, bytes, 64);
  EXPECT_EQ(row[0], -256);  // code -128 is never written by us, but read
  EXPECT_EQ(row[31], 254);
  EXPECT_EQ(row[32], 5);
}

TEST(Q4_0, PutsTheFirstHalfIntoTheLowNibbles) {
  // Largest magnitude -16: the step is 2, the code x / 2 + 8.5 cut to an integer.
  std::vector<float> row(32);
  for (int i = 0; i < 32; ++i) row[static_cast<size_t>(i)] = static_cast<float>(i - 16);
  const auto bytes = quantized(DType::q4_0, row);
  ASSERT_EQ(bytes.size(), 18u);
  EXPECT_EQ(bytes[0], kTwo[0]);
  EXPECT_EQ(bytes[1], kTwo[1]);
  // -16 -15 -14 ... -1 -> 0 1 1 2 2 ... 7 8;  0 1 2 ... 15 -> 8 9 9 10 ... 15 16, cut to 15
  const int low[] = {0, 1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8};
  const int high[] = {8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 15};
  for (size_t i = 0; i < 16; ++i) EXPECT_EQ(bytes[2 + i], low[i] | high[i] << 4) << i;
}

TEST(Q4_0, GivesTheLargestMagnitudeCodeZeroEvenIfItIsPositive) {
  std::vector<float> row(32, 0.0f);
  row[3] = 8, row[20] = -7;
  const auto bytes = quantized(DType::q4_0, row);
  EXPECT_EQ(bytes[1], 0xBC);          // the step is -1
  EXPECT_EQ(bytes[2 + 3], 0x80);      // 8 is code 0; its neighbour, zero, is 8
  EXPECT_EQ(bytes[2 + 4], 0xF0 | 8);  // -7 is code 15
}

TEST(Q4_0, ReadsStepTimesCodeLessEight) {
  std::vector<int> bytes(18, 0x88);
  bytes[0] = kTwo[0], bytes[1] = kTwo[1], bytes[2] = 0xF0, bytes[17] = 0x19;
  const auto row = dequantized(DType::q4_0, bytes, 32);
  EXPECT_EQ(row[0], -16);
  EXPECT_EQ(row[16], 14);
  EXPECT_EQ(row[15], 2);
  EXPECT_EQ(row[31], -14);
  EXPECT_EQ(row[1], 0);
}

TEST(BlockFormats, ABlockOfZerosStaysZero) {
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::q8_0, DType::q4_0}) {
    const auto bytes = quantized(type, std::vector<float>(64, 0.0f));
    EXPECT_THAT(dequantized(type, bytes, 64), Each(0.0f)) << name(type);
  }
}

TEST(BlockFormats, ErrorsStayWithinHalfAStep) {
  std::vector<float> row(64);
  for (size_t i = 0; i < row.size(); ++i) row[i] = std::sin(static_cast<float>(i) * 1.7f);
  const auto q8 = dequantized(DType::q8_0, quantized(DType::q8_0, row), 64);
  const auto q4 = dequantized(DType::q4_0, quantized(DType::q4_0, row), 64);
  for (size_t i = 0; i < row.size(); ++i) {
    // The step is at most 1/127 and 1/8, and itself rounded to 11 bits; the far end of Q4_0's
    // range, +7 steps, cuts up to one step off.
    EXPECT_NEAR(q8[i], row[i], 0.51 / 127 + 1.0 / 2048);
    EXPECT_NEAR(q4[i], row[i], 1.01 / 8 + 1.0 / 2048);
  }
}

TEST(BlockFormats, AgreeWithNumPyToTheBit) {
  const std::string folder = test::source_path("tests/data/block_formats/");
  const std::string rows = test::read_file(folder + "rows.f32");
  std::vector<float> row(rows.size() / sizeof(float));
  std::memcpy(row.data(), rows.data(), rows.size());
  const auto n = static_cast<int64_t>(row.size());
  ASSERT_GE(n, 1000);
  const std::pair<DType, const char*> cases[] = {
      {DType::f16, "f16"}, {DType::bf16, "bf16"}, {DType::q8_0, "q8_0"}, {DType::q4_0, "q4_0"}};
  for (const auto& [type, file] : cases) {
    const std::string stored = test::read_file(folder + file + ".bin");
    std::string ours(row_bytes(type, n), '\0');
    quantize_row(type, row.data(), n, reinterpret_cast<std::byte*>(ours.data()));
    EXPECT_TRUE(ours == stored) << file;

    const std::string back = test::read_file(folder + file + ".f32");
    std::string read(rows.size(), '\0');
    std::vector<float> values(row.size());
    dequantize_row(type, reinterpret_cast<const std::byte*>(stored.data()), n, values.data());
    std::memcpy(read.data(), values.data(), read.size());
    EXPECT_TRUE(read == back) << file;
  }
}

TEST(BlockFormats, RowsThatAreNotFiniteOrTooSmallForAStepAreNoError) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (const DType type : {DType::f16, DType::bf16, DType::q8_0, DType::q4_0}) {
    for (const float one : {infinity, -infinity, std::nanf(""), 1e-45f, 3e38f}) {
      std::vector<float> row(32, 1.0f);
      row[7] = one;
      EXPECT_EQ(quantized(type, row).size(), row_bytes(type, 32));
      EXPECT_EQ(quantized(type, std::vector<float>(32, one)).size(), row_bytes(type, 32));
    }
  }
}

}  // namespace
}  // namespace hymt::checkpoint
