#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "checkpoint/gguf.h"
#include "checkpoint/gguf_writer.h"
#include "support/gguf_builder.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"

namespace hymt::checkpoint {
namespace {

using test::gguf_string;
using test::little_endian;
using testing::HasSubstr;

Bytes bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

std::string text_of(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

TEST(GgufWriter, WritesTheBytesThatTheFormatPrescribes) {
  const std::string data = "0123456789abcdefghijklmnopqrstuvwx", more = "ffff";
  Checkpoint checkpoint;
  checkpoint.metadata = {{"general.alignment", int64_t{64}},  // the source's, not ours
                         {"general.architecture", std::string("a")},
                         {"a.b", int64_t{7}}};
  checkpoint.tensors = {
      {.name = "t", .type = DType::q8_0, .shape = {1, 32}, .data = bytes_of(data)},
      {.name = "u", .shape = {1}, .data = bytes_of(more)}};
  const test::TempFolder folder;
  ASSERT_TRUE(write_gguf(checkpoint, folder / "m.gguf"));

  std::string expected =
      "GGUF" + little_endian(3u) + little_endian(uint64_t{2}) + little_endian(uint64_t{2});
  expected += gguf_string("a.b") + little_endian(4u) + little_endian(7u);
  expected += gguf_string("general.architecture") + little_endian(8u) + gguf_string("a");
  expected += gguf_string("t") + little_endian(2u) + little_endian(uint64_t{32}) +
              little_endian(uint64_t{1}) + little_endian(8u) + little_endian(uint64_t{0});
  expected += gguf_string("u") + little_endian(1u) + little_endian(uint64_t{1}) +
              little_endian(0u) + little_endian(uint64_t{64});
  expected.resize((expected.size() + 31) / 32 * 32, '\0');
  expected += data + std::string(30, '\0') + "ffff" + std::string(28, '\0');
  EXPECT_EQ(test::read_file(folder / "m.gguf"), expected);
}

TEST(GgufWriter, EveryValueComesBack) {
  Checkpoint checkpoint;
  checkpoint.metadata = {
      {"bool", true},
      {"small", int64_t{-5}},
      {"unsigned 32", int64_t{4000000000}},
      {"large", int64_t{1} << 40},
      {"lowest", INT64_MIN},
      {"highest", UINT64_MAX},
      {"float", double{0.1f}},
      {"double", 0.1},
      {"text", std::string("a\0b", 3)},
      {"bools", std::vector<bool>{true, false, true}},
      {"ints", std::vector<int64_t>{1, -2, 3}},
      {"large ints", std::vector<int64_t>{1, int64_t{1} << 33}},
      {"floats", std::vector<double>{0.5, -1}},
      {"doubles", std::vector<double>{0.1}},
      {"texts", std::vector<std::string>{"", "x"}},
      {"nothing", std::vector<std::string>{}},
  };
  const test::TempFolder folder;
  ASSERT_TRUE(write_gguf(checkpoint, folder / "m.gguf"));
  const auto back = read_gguf(folder / "m.gguf");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(back->metadata, checkpoint.metadata);
}

// The format gives the model's own numbers as float32 and readers insist on it.
TEST(GgufWriter, NumbersOfTheArchitectureAreFloat32) {
  Checkpoint checkpoint;
  checkpoint.metadata = {{"general.architecture", std::string("hunyuan-dense")},
                         {"hunyuan-dense.rope.freq_base", 11158839.925}};
  const test::TempFolder folder;
  ASSERT_TRUE(write_gguf(checkpoint, folder / "m.gguf"));
  EXPECT_THAT(test::read_file(folder / "m.gguf"),
              HasSubstr(gguf_string("hunyuan-dense.rope.freq_base") + little_endian(6u) +
                        little_endian(11158839.925f)));
}

TEST(GgufWriter, TheDemoModelComesBackAsItWas) {
  const std::string path = test::source_path("models/demo.gguf");
  const auto demo = read_gguf(path);
  ASSERT_TRUE(demo);
  const test::TempFolder folder;
  ASSERT_TRUE(write_gguf(*demo, folder / "m.gguf"));
  const auto back = read_gguf(folder / "m.gguf");
  ASSERT_TRUE(back) << back.error().message;
  auto metadata = demo->metadata;
  metadata.erase("general.alignment");
  EXPECT_EQ(back->metadata, metadata);
  ASSERT_EQ(back->tensors.size(), demo->tensors.size());
  for (size_t i = 0; i < demo->tensors.size(); ++i) {
    EXPECT_EQ(back->tensors[i].name, demo->tensors[i].name);
    EXPECT_EQ(back->tensors[i].shape, demo->tensors[i].shape);
    EXPECT_EQ(text_of(back->tensors[i].data), text_of(demo->tensors[i].data));
  }
}

TEST(GgufWriter, TakesATensorInPiecesOfAnySize) {
  const test::TempFolder folder;
  auto writer = GgufWriter::create(
      folder / "m.gguf", {},
      {{.name = "a", .shape = {3}}, {.name = "b", .type = DType::f16, .shape = {2, 2}}});
  ASSERT_TRUE(writer);
  for (const char* piece : {"1", "2345", "6789abcABC", "DEF", "GH"}) {
    ASSERT_TRUE(writer->write(bytes_of(piece)));
  }
  ASSERT_TRUE(writer->finish());
  EXPECT_EQ(writer->file_size(), std::filesystem::file_size(folder / "m.gguf"));
  const auto back = read_gguf(folder / "m.gguf");
  ASSERT_TRUE(back) << back.error().message;
  EXPECT_EQ(text_of(back->tensors[0].data), "123456789abc");
  EXPECT_EQ(text_of(back->tensors[1].data), "ABCDEFGH");
}

TEST(GgufWriter, UnfinishedItLeavesNothing) {
  const test::TempFolder folder;
  {
    auto writer = GgufWriter::create(folder / "m.gguf", {}, {{.name = "a", .shape = {3}}});
    ASSERT_TRUE(writer);
    ASSERT_TRUE(writer->write(bytes_of("1234")));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(GgufWriter, RefusesWhatNoReaderWouldTake) {
  const test::TempFolder folder;
  const std::vector<std::vector<TensorPlan>> cases = {
      {{.name = "", .shape = {1}}},
      {{.name = "a", .shape = {1}}, {.name = "a", .shape = {1}}},
      {{.name = "a", .shape = {}}},
      {{.name = "a", .shape = {0}}},
      {{.name = "a", .shape = {1, 1, 1, 1, 1}}},
      {{.name = "a", .type = DType::q4_0, .shape = {2, 48}}},
  };
  for (const auto& plans : cases) {
    const auto writer = GgufWriter::create(folder / "m.gguf", {}, plans);
    ASSERT_FALSE(writer);
    EXPECT_EQ(writer.error().code, Code::invalid_argument);
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(GgufWriter, NamesTheFileThatItCannotWrite) {
  const auto done = write_gguf({}, "/no/such/folder/m.gguf");
  ASSERT_FALSE(done);
  EXPECT_THAT(done.error().message, HasSubstr("/no/such/folder/m.gguf: cannot write"));
}

// A model that is read may be replaced by one that is written: the mapping keeps the old file.
TEST(GgufWriter, MayReplaceTheFileThatItReadsFrom) {
  const test::TempFolder folder;
  const std::string path = folder / "m.gguf";
  std::ofstream(path, std::ios::binary) << test::tiny_model().bytes();
  const auto before = read_gguf(path);
  ASSERT_TRUE(before);
  ASSERT_TRUE(write_gguf(*before, path));
  const auto after = read_gguf(path);
  ASSERT_TRUE(after);
  EXPECT_EQ(after->metadata, before->metadata);
}

}  // namespace
}  // namespace hymt::checkpoint
