#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "checkpoint/gguf.h"
#include "checkpoint/quantize.h"
#include "support/gguf_builder.h"
#include "support/shared_data.h"

namespace hymt::checkpoint {
namespace {

using test::gguf_string;
using test::GgufBuilder;
using test::little_endian;
using testing::ElementsAre;

Result<Checkpoint> read(const std::string& bytes) {
  return read_gguf(std::as_bytes(std::span(bytes)), "m.gguf");
}

TEST(GgufReader, ReadsEveryKindOfValue) {
  GgufBuilder builder;
  builder.raw("u8", 0, little_endian<uint8_t>(200))
      .raw("i8", 1, little_endian<int8_t>(-5))
      .raw("u16", 2, little_endian<uint16_t>(60000))
      .raw("i16", 3, little_endian<int16_t>(-300))
      .raw("u32", 4, little_endian<uint32_t>(4000000000u))
      .raw("i32", 5, little_endian<int32_t>(-70000))
      .raw("f32", 6, little_endian<float>(0.1f))
      .raw("true", 7, little_endian<uint8_t>(1))
      .raw("false", 7, little_endian<uint8_t>(0))
      .text("text", "Hunyuan 混元")
      .raw("u64", 10, little_endian<uint64_t>(UINT64_MAX))
      .raw("i64", 11, little_endian<int64_t>(INT64_MIN))
      .raw("f64", 12, little_endian<double>(0.1))
      .raw("i32s", 9,
           little_endian<uint32_t>(5) + little_endian<uint64_t>(2) + little_endian<int32_t>(1) +
               little_endian<int32_t>(-1))
      .raw("f32s", 9,
           little_endian<uint32_t>(6) + little_endian<uint64_t>(1) + little_endian<float>(0.5f))
      .raw("bools", 9,
           little_endian<uint32_t>(7) + little_endian<uint64_t>(2) + std::string("\1\0", 2))
      .texts("texts", {"", "b"});
  const std::string bytes = builder.bytes();
  const auto checkpoint = read(bytes);
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  const auto& values = checkpoint->metadata;
  EXPECT_EQ(values.at("u8"), Value(int64_t{200}));
  EXPECT_EQ(values.at("i8"), Value(int64_t{-5}));
  EXPECT_EQ(values.at("u16"), Value(int64_t{60000}));
  EXPECT_EQ(values.at("i16"), Value(int64_t{-300}));
  EXPECT_EQ(values.at("u32"), Value(int64_t{4000000000}));
  EXPECT_EQ(values.at("i32"), Value(int64_t{-70000}));
  EXPECT_EQ(values.at("f32"), Value(double{0.1f}));
  EXPECT_EQ(values.at("true"), Value(true));
  EXPECT_EQ(values.at("false"), Value(false));
  EXPECT_EQ(values.at("text"), Value(std::string("Hunyuan 混元")));
  EXPECT_EQ(values.at("u64"), Value(UINT64_MAX));
  EXPECT_EQ(values.at("i64"), Value(INT64_MIN));
  EXPECT_EQ(values.at("f64"), Value(0.1));
  EXPECT_EQ(values.at("i32s"), Value(std::vector<int64_t>{1, -1}));
  EXPECT_EQ(values.at("f32s"), Value(std::vector<double>{0.5}));
  EXPECT_EQ(values.at("bools"), Value(std::vector<bool>{true, false}));
  EXPECT_EQ(values.at("texts"), Value(std::vector<std::string>{"", "b"}));
}

TEST(GgufReader, GivesTensorsWithTheOutermostDimensionFirst) {
  for (const uint32_t version : {2u, 3u}) {
    GgufBuilder builder;
    builder.version = version;
    builder.tensor("a", {3, 32}, 2, std::string(3 * 18, 'a'))
        .tensor("b", {2}, 0, little_endian(1.5f) + little_endian(-2.0f))
        .tensor("c", {1, 64}, 8, std::string(68, 'c'))
        .tensor("d", {2, 1}, 1, "dddd")
        .tensor("e", {2, 2, 1}, 30, "eeeeeeee");
    const std::string bytes = builder.bytes();
    const auto checkpoint = read(bytes);
    ASSERT_TRUE(checkpoint) << checkpoint.error().message;
    const auto& tensors = checkpoint->tensors;
    ASSERT_EQ(tensors.size(), 5u);
    EXPECT_EQ(tensors[0].type, DType::q4_0);
    EXPECT_THAT(tensors[0].shape, ElementsAre(3, 32));
    EXPECT_EQ(tensors[0].rows(), 3);
    EXPECT_EQ(tensors[0].columns(), 32);
    EXPECT_EQ(tensors[0].data.size(), 54u);
    float values[2];
    dequantize_row(tensors[1].type, tensors[1].data.data(), 2, values);
    EXPECT_THAT(values, ElementsAre(1.5f, -2.0f));
    EXPECT_EQ(tensors[2].type, DType::q8_0);
    EXPECT_EQ(static_cast<char>(tensors[2].data.back()), 'c');
    EXPECT_EQ(tensors[3].type, DType::f16);
    EXPECT_EQ(tensors[4].type, DType::bf16);
    EXPECT_THAT(tensors[4].shape, ElementsAre(2, 2, 1));
  }
}

TEST(GgufReader, TakesTheAlignmentThatTheFileDeclares) {
  GgufBuilder builder;
  builder.data_alignment = 256;
  builder.u32("general.alignment", 256)
      .tensor("a", {1}, 0, little_endian(1.0f))
      .tensor("b", {1}, 0, little_endian(2.0f));
  const std::string bytes = builder.bytes();
  const auto checkpoint = read(bytes);
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  const auto at = [&](size_t i) {
    return checkpoint->tensors[i].data.data() - std::as_bytes(std::span(bytes)).data();
  };
  EXPECT_EQ(at(0) % 256, 0);
  EXPECT_EQ(at(1) - at(0), 256);
}

TEST(GgufReader, AFileMayHoldMetadataOnly) {
  const std::string bytes = GgufBuilder().text("general.name", "x").bytes();
  ASSERT_TRUE(read(bytes));
  ASSERT_TRUE(read(bytes.substr(0, bytes.find_last_not_of('\0') + 1)));  // without padding
}

TEST(GgufReader, ReadsTheDemoModel) {
  const auto checkpoint = read_gguf(test::source_path("models/demo.gguf"));
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  EXPECT_EQ(checkpoint->tensors.size(), 68u);
  EXPECT_EQ(*get_string(*checkpoint, "general.architecture"), "hunyuan-dense");
  EXPECT_EQ(*get_int(*checkpoint, "hunyuan-dense.block_count"), 6);
  EXPECT_FLOAT_EQ(*get_number(*checkpoint, "hunyuan-dense.attention.layer_norm_rms_epsilon"), 1e-5);
  const Tensor* embedding = checkpoint->find("token_embd.weight");
  ASSERT_NE(embedding, nullptr);
  EXPECT_THAT(embedding->shape, ElementsAre(8192, 256));
  EXPECT_EQ(embedding->type, DType::bf16);
}

TEST(GgufReader, RefusesTypesThatItCannotComputeByName) {
  const struct {
    uint32_t number;
    const char* name;
  } cases[] = {{3, "Q4_1"},    {12, "Q4_K"},   {14, "Q6_K"}, {10, "Q2_K"},
               {20, "IQ4_NL"}, {23, "IQ4_XS"}, {28, "F64"},  {29, "IQ1_M"},
               {34, "TQ1_0"},  {39, "MXFP4"},  {42, "Q2_0"}, {99, "99"}};
  for (const auto& [number, name] : cases) {
    const auto checkpoint =
        read(GgufBuilder().tensor("blk.0.ffn_up.weight", {256}, number, "").bytes());
    ASSERT_FALSE(checkpoint);
    EXPECT_EQ(checkpoint.error().code, Code::unsupported);
    const std::string& message = checkpoint.error().message;
    EXPECT_NE(message.find(name), std::string::npos) << message;
    EXPECT_NE(message.find("'blk.0.ffn_up.weight'"), std::string::npos) << message;
    EXPECT_NE(message.find("use a file with"), std::string::npos) << message;
  }
}

TEST(GgufReader, SaysThatAFileIsMissing) {
  const auto checkpoint = read_gguf("/no/such.gguf");
  ASSERT_FALSE(checkpoint);
  EXPECT_EQ(checkpoint.error().code, Code::not_found);
}

}  // namespace
}  // namespace hymt::checkpoint
