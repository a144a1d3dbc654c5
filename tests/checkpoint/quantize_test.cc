#include "checkpoint/quantize.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <limits>

#include "checkpoint/gguf.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"

namespace hymt::checkpoint {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// A checkpoint that owns float rows.
class Floats {
 public:
  void add(const std::string& name, const std::vector<int64_t>& shape, std::vector<float> values) {
    auto data = std::make_shared<std::vector<float>>(std::move(values));
    checkpoint.tensors.push_back({.name = name,
                                  .type = DType::f32,
                                  .shape = shape,
                                  .data = std::as_bytes(std::span(*data))});
    checkpoint.owners.push_back(data);
  }

  Checkpoint checkpoint{.path = "m.gguf", .metadata = {}, .tensors = {}, .owners = {}};
};

std::vector<float> wave(size_t n, float phase = 0) {
  std::vector<float> out(n);
  for (size_t i = 0; i < n; ++i) out[i] = std::sin(static_cast<float>(i) * 0.37f + phase);
  return out;
}

Floats small() {
  Floats out;
  out.checkpoint.metadata["general.name"] = std::string("small");
  out.add("matrix", {7, 64}, wave(7 * 64));
  out.add("vector", {64}, wave(64, 1));
  out.add("odd", {4, 50}, wave(200, 2));
  out.add("cube", {2, 3, 32}, wave(192, 3));
  return out;
}

TEST(Quantize, MatricesChangeVectorsStayF32AndOddRowsStayAsTheyAre) {
  ThreadPool pool(3);
  std::vector<std::string> kept;
  const Floats from = small();
  const auto out = quantize(from.checkpoint, DType::q4_0, pool, &kept);
  ASSERT_TRUE(out) << out.error().message;
  EXPECT_EQ(out->find("matrix")->type, DType::q4_0);
  EXPECT_EQ(out->find("vector")->type, DType::f32);
  EXPECT_EQ(out->find("odd")->type, DType::f32);
  EXPECT_EQ(out->find("cube")->type, DType::q4_0);
  EXPECT_THAT(kept, ElementsAre("odd"));
  EXPECT_EQ(*get_int(*out, "general.file_type"), 2);  // "mostly Q4_0"
  EXPECT_EQ(*get_int(*out, "general.quantization_version"), 2);
  EXPECT_EQ(*get_string(*out, "general.name"), "small");
}

TEST(Quantize, EveryRowIsTheRowQuantisedAlone) {
  const Floats from = small();
  for (const int threads : {1, 2, 5}) {
    ThreadPool pool(threads);
    for (const DType type : {DType::f16, DType::bf16, DType::q8_0, DType::q4_0}) {
      const auto out = quantize(from.checkpoint, type, pool);
      ASSERT_TRUE(out);
      for (const Tensor& tensor : from.checkpoint.tensors) {
        const Tensor* got = out->find(tensor.name);
        const int64_t columns = tensor.columns();
        if (got->type != type) continue;
        const auto* rows = reinterpret_cast<const float*>(tensor.data.data());
        const size_t n_rows = tensor.data.size() / sizeof(float) / static_cast<size_t>(columns);
        std::vector<std::byte> row(row_bytes(type, columns));
        ASSERT_EQ(got->data.size(), n_rows * row.size());
        for (size_t i = 0; i < n_rows; ++i) {
          quantize_row(type, rows + i * static_cast<size_t>(columns), columns, row.data());
          const Bytes at = got->data.subspan(i * row.size(), row.size());
          EXPECT_TRUE(std::equal(row.begin(), row.end(), at.begin())) << tensor.name << " " << i;
        }
      }
    }
  }
}

TEST(Quantize, ToFileWritesWhatItWouldGiveInMemory) {
  const Floats from = small();
  ThreadPool pool(2);
  const test::TempFolder folder;
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::q8_0, DType::q4_0}) {
    const auto memory = quantize(from.checkpoint, type, pool);
    ASSERT_TRUE(memory);
    ASSERT_TRUE(write_gguf(*memory, folder / "memory.gguf"));
    uint64_t last = 0, all = 0;
    const auto size =
        quantize_to_file(from.checkpoint, plan_quantize(from.checkpoint, type),
                         folder / "file.gguf", pool, [&](uint64_t done, uint64_t total) {
                           EXPECT_GT(done, last);
                           last = done;
                           all = total;
                         });
    ASSERT_TRUE(size) << size.error().message;
    EXPECT_EQ(last, all);
    EXPECT_EQ(*size, std::filesystem::file_size(folder / "file.gguf"));
    EXPECT_EQ(test::read_file(folder / "file.gguf"), test::read_file(folder / "memory.gguf"));
  }
}

TEST(Quantize, WeightsThatTheTypeCannotHoldAreAnErrorThatNamesTheRow) {
  const float infinity = std::numeric_limits<float>::infinity();
  const struct {
    DType type;
    float bad, good;  // the smallest that overflows, the largest that does not
  } cases[] = {
      {DType::f16, 65520, std::nextafter(65520.0f, 0.0f)},
      {DType::bf16, 0x1.ffp+127f, std::nextafter(0x1.ffp+127f, 0.0f)},
      {DType::q8_0, 127 * 65520.0f, 127 * 65500.0f},
      {DType::q4_0, -8 * 65520.0f, -8 * 65500.0f},
      {DType::q8_0, NAN, 1},
      {DType::q4_0, -infinity, -1},
      {DType::f16, infinity, 1},
  };
  ThreadPool pool(2);
  const test::TempFolder folder;
  for (const auto& one : cases) {
    for (const bool bad : {true, false}) {
      Floats from;
      std::vector<float> values = wave(5 * 32);
      values[3 * 32 + 9] = bad ? one.bad : one.good;
      from.add("t", {5, 32}, values);
      const auto out = quantize(from.checkpoint, one.type, pool);
      const auto file = quantize_to_file(from.checkpoint, plan_quantize(from.checkpoint, one.type),
                                         folder / "f.gguf", pool);
      ASSERT_EQ(out.has_value(), !bad) << name(one.type) << " " << one.bad;
      ASSERT_EQ(file.has_value(), !bad);
      if (bad) {
        EXPECT_EQ(out.error().code, Code::invalid_argument);
        EXPECT_THAT(out.error().message, HasSubstr("m.gguf: tensor 't', row 3"));
        EXPECT_EQ(file.error().message, out.error().message);
        EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
      } else {
        for (const float value : values) EXPECT_TRUE(std::isfinite(value));
        std::filesystem::remove(folder / "f.gguf");
      }
    }
  }
}

TEST(Quantize, WhatDoesNotChangeIsNotCopied) {
  ThreadPool pool(1);
  const Floats from = small();
  const auto out = quantize(from.checkpoint, DType::f32, pool);
  ASSERT_TRUE(out);
  for (size_t i = 0; i < out->tensors.size(); ++i) {
    EXPECT_EQ(out->tensors[i].data.data(), from.checkpoint.tensors[i].data.data());
  }
}

TEST(Quantize, TheDemoModelShrinksAsTheBlocksSay) {
  const auto demo = read_gguf(test::source_path("models/demo.gguf"));
  ASSERT_TRUE(demo);
  ThreadPool pool(2);
  for (const DType type : {DType::q8_0, DType::q4_0}) {
    std::vector<std::string> kept;
    const auto out = quantize(*demo, type, pool, &kept);
    ASSERT_TRUE(out) << out.error().message;
    EXPECT_TRUE(kept.empty());
    const Tensor* before = demo->find("token_embd.weight");
    const Tensor* after = out->find("token_embd.weight");
    // 32 weights: 64 bytes as BF16, 34 as Q8_0, 18 as Q4_0
    EXPECT_EQ(after->data.size(), before->data.size() / 64 * (type == DType::q8_0 ? 34 : 18));
    // The error of a row against its size: a uniform error of half a step, for normal weights whose
    // largest of 32 is about 2.2 times their deviation, is 0.5 % for Q8_0 and 8 % for Q4_0.
    double error = 0, norm = 0;
    std::vector<float> a(256), b(256);
    for (size_t row = 0; row < 8192; ++row) {
      dequantize_row(before->type, before->data.data() + row * 512, 256, a.data());
      dequantize_row(type, after->data.data() + row * row_bytes(type, 256), 256, b.data());
      for (size_t i = 0; i < 256; ++i) {
        error += (a[i] - b[i]) * (a[i] - b[i]);
        norm += a[i] * a[i];
      }
    }
    EXPECT_LT(std::sqrt(error / norm), type == DType::q8_0 ? 0.01 : 0.12);
    EXPECT_GT(error, 0);
  }
}

}  // namespace
}  // namespace hymt::checkpoint
