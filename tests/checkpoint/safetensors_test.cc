#include "checkpoint/safetensors.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <map>

#include "checkpoint/allocation_meter.h"
#include "checkpoint/gguf.h"
#include "checkpoint/quantize.h"
#include "support/gguf_builder.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"

namespace hymt::checkpoint {
namespace {

using test::little_endian;
using testing::ElementsAre;
using testing::HasSubstr;

std::string file_of(const std::string& header, const std::string& data) {
  return little_endian<uint64_t>(header.size()) + header + data;
}

void save(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary) << bytes;
}

// The result of reading a folder with just this model.safetensors.
Result<Checkpoint> read(const std::string& bytes) {
  const test::TempFolder folder;
  save(folder / "model.safetensors", bytes);
  return read_safetensors(folder.path());
}

TEST(Safetensors, ReadsTensorsOfEachType) {
  const auto checkpoint =
      read(file_of(R"({"__metadata__":{"format":"pt"},)"
                   R"("a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
                   R"("b.weight":{"data_offsets":[8,12],"dtype":"F16","shape":[2]},)"
                   R"("c":{"dtype":"BF16","shape":[],"data_offsets":[12,14]}}   )",
                   little_endian(1.5f) + little_endian(-2.0f) + std::string("\x00\x3C\x00\xC0", 4) +
                       std::string("\x80\x3F", 2)));
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  ASSERT_EQ(checkpoint->tensors.size(), 3u);
  EXPECT_TRUE(checkpoint->metadata.empty());
  const auto values = [&](const char* name, int64_t n) {
    std::vector<float> out(static_cast<size_t>(n));
    const Tensor* tensor = checkpoint->find(name);
    dequantize_row(tensor->type, tensor->data.data(), n, out.data());
    return out;
  };
  EXPECT_THAT(checkpoint->find("a")->shape, ElementsAre(2, 1));
  EXPECT_THAT(values("a", 2), ElementsAre(1.5f, -2.0f));
  EXPECT_THAT(values("b.weight", 2), ElementsAre(1.0f, -2.0f));
  EXPECT_TRUE(checkpoint->find("c")->shape.empty());
  EXPECT_THAT(values("c", 1), ElementsAre(1.0f));
}

// One tensor of four bytes, named as told.
std::string shard(const std::string& name) {
  return file_of("{\"" + name + R"(":{"dtype":"F32","shape":[1],"data_offsets":[0,4]}})", "abcd");
}

TEST(Safetensors, ReadsTheShardsThatTheIndexNames) {
  const test::TempFolder folder;
  save(folder / "one.safetensors", shard("a"));
  save(folder / "two.safetensors", shard("b"));
  save(folder / "model.safetensors.index.json",
       R"({"metadata":{"total_size":8,"more":[{"x":[]}]},)"
       R"("weight_map":{"a":"one.safetensors","b":"two.safetensors"}})");
  const auto checkpoint = read_safetensors(folder.path());
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  EXPECT_NE(checkpoint->find("a"), nullptr);
  EXPECT_NE(checkpoint->find("b"), nullptr);
}

TEST(Safetensors, RefusesAnIndexThatDoesNotFitItsShards) {
  const struct {
    const char* index;
    const char* message;
  } cases[] = {
      {R"({"weight_map":{"a":"one.safetensors","c":"two.safetensors"}})", "'c'"},
      {R"({"weight_map":{"a":"one.safetensors","b":"gone.safetensors"}})", "gone.safetensors"},
      {R"({"weight_map":{"b":"one.safetensors"}})", "'b'"},
      {R"({"weight_map":{"a":"also.safetensors","b":"one.safetensors"}})", "'a' is also in"},
      {R"({"weight_map":{"a":"../one.safetensors"}})", "'../one.safetensors'"},
      {R"({"weight_map":{"a":"/etc/passwd"}})", "'/etc/passwd'"},
      {R"({"weight_map":{"a":""}})", "''"},
      {R"({"weight_map":{"a":1}})", "'a' is a number"},
      {R"({"weight_map":{"a":{}}})", "unexpected brackets"},
      {R"({"weight_map":{"a":null}})", "unexpected null"},
      {R"({"weight_map":{"a":"one.safetensors","a":"one.safetensors"}})", "'a' appears twice"},
      {R"({"metadata":{}})", "no weight_map"},
      {R"([])", "is an array"},
      {R"({"weight_map":)", "malformed JSON"},
      {"", "empty"},
  };
  for (const auto& one : cases) {
    const test::TempFolder folder;
    save(folder / "one.safetensors", shard("a"));
    save(folder / "also.safetensors", shard("a"));
    save(folder / "two.safetensors", shard("b"));
    save(folder / "model.safetensors.index.json", one.index);
    const auto checkpoint = read_safetensors(folder.path());
    ASSERT_FALSE(checkpoint) << one.index;
    EXPECT_THAT(checkpoint.error().message, HasSubstr(one.message));
    EXPECT_THAT(checkpoint.error().message, HasSubstr(folder.path()));
  }
}

// The header of one tensor with this body, and 8 bytes of data.
std::string with(const std::string& body) {
  return file_of("{\"t\":" + body + "}", "12345678");
}

std::vector<std::pair<std::string, const char*>> hostile_files() {
  const auto declared = [](uint64_t size, const std::string& rest) {
    return little_endian(size) + rest;
  };
  std::string deep = "{\"t\":" + std::string(100000, '[');
  return {
      {"1234567", "inside the header's length"},
      {declared(uint64_t{1} << 60, "{}"), "1152921504606846976"},
      {declared(UINT64_MAX, "{}"), "18446744073709551615"},
      {declared(3, "{}"), "length is 3"},
      {declared(0, "{}"), "malformed JSON"},
      {file_of("[1]", ""), "is an array"},
      {file_of("1", ""), "number where none belongs"},
      {file_of("{\"t\":1}", ""), "'t': a number"},
      {file_of("{\"t\":null}", ""), "unexpected null"},
      {file_of("{\"t\":[]}", ""), "'t' is an array"},
      {file_of("{} {}", ""), "malformed JSON"},
      {file_of("{\"\xFF\":{}}", ""), "malformed JSON"},
      {file_of("{\"t\":{\"dtype\":\"F32\"", ""), "malformed JSON"},
      {file_of(deep, ""), "is an array"},
      {file_of("{\"__metadata__\":{\"a\":" + std::string(100000, '['), ""), "malformed JSON"},
      {with(R"({"dtype":"F32","shape":[2]})"), "no data_offsets"},
      {with(R"({"dtype":"F32","data_offsets":[0,8]})"), "no shape"},
      {with(R"({"shape":[2],"data_offsets":[0,8]})"), "no dtype"},
      {with(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8],"more":1})"), "'more'"},
      {with(R"({"dtype":"F32","shape":[2],"shape":[2],"data_offsets":[0,8]})"), "shape twice"},
      {with(R"({"dtype":"F32","shape":[2.0],"data_offsets":[0,8]})"), "unexpected 2.0"},
      {with(R"({"dtype":"F32","shape":[-2],"data_offsets":[0,8]})"), "unexpected -2"},
      {with(R"({"dtype":"F32","shape":["2"],"data_offsets":[0,8]})"), "string where none"},
      {with(R"({"dtype":"F32","shape":[[2]],"data_offsets":[0,8]})"), "unexpected brackets"},
      {with(R"({"dtype":"F32","shape":2,"data_offsets":[0,8]})"), "number where none"},
      {with(R"({"dtype":1,"shape":[2],"data_offsets":[0,8]})"), "number where none"},
      {with(R"({"dtype":"F32","shape":[2],"data_offsets":[0]})"), "not two numbers"},
      {with(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8,8]})"), "not two numbers"},
      {with(R"({"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1],"data_offsets":[0,8]})"), "too long"},
      {with(R"({"dtype":"F32","shape":[2],"data_offsets":[0,9]})"), "0 to 9"},
      {with(R"({"dtype":"F32","shape":[2],"data_offsets":[8,0]})"), "8 to 0"},
      {with(R"({"dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551615]})"),
       "18446744073709551615"},
      {with(R"({"dtype":"F32","shape":[2],"data_offsets":[0,18446744073709551616]})"),
       "unexpected 18446744073709551616"},
      {with(R"({"dtype":"F32","shape":[3],"data_offsets":[0,8]})"), "need 12"},
      {with(R"({"dtype":"F32","shape":[0],"data_offsets":[0,0]})"), "dimension is 0"},
      {with(R"({"dtype":"F32","shape":[4611686018427387905,4],"data_offsets":[0,8]})"), "2^64"},
      {with(R"({"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8]})"),
       "18446744073709551615"},
      {file_of(R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]},)"
               R"("b":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
               "12345678"),
       "overlap tensor 'a'"},
      {file_of(R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},)"
               R"("a":{"dtype":"F32","shape":[1],"data_offsets":[4,8]}})",
               "12345678"),
       "'a' appears twice"},
  };
}

TEST(HostileSafetensors, EachFaultIsOneErrorThatNamesFileAndFault) {
  for (const auto& [bytes, message] : hostile_files()) {
    const auto checkpoint = read(bytes);
    ASSERT_FALSE(checkpoint) << message;
    EXPECT_EQ(checkpoint.error().code, Code::invalid_argument);
    EXPECT_THAT(checkpoint.error().message, HasSubstr("model.safetensors: "));
    EXPECT_THAT(checkpoint.error().message, HasSubstr(message));
    EXPECT_EQ(checkpoint.error().message.find('\n'), std::string::npos);
  }
}

TEST(HostileSafetensors, MemoryGrowsNoFasterThanTheFile) {
  for (const auto& [bytes, message] : hostile_files()) {
    const test::TempFolder folder;
    save(folder / "model.safetensors", bytes);
    const test::AllocationMeter meter;
    (void)read_safetensors(folder.path());
    EXPECT_LT(meter.total(), 16 * bytes.size() + 16384) << message;
  }
}

TEST(HostileSafetensors, AFileCutAtAnyByteIsRefused) {
  const std::string whole = with(R"({"dtype":"F32","shape":[2],"data_offsets":[0,8]})");
  ASSERT_TRUE(read(whole));
  for (size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(read(whole.substr(0, size))) << size;
  }
}

TEST(Safetensors, TypesThatItCannotReadAreRefusedByName) {
  const auto checkpoint = read(with(R"({"dtype":"F8_E4M3","shape":[8],"data_offsets":[0,8]})"));
  ASSERT_FALSE(checkpoint);
  EXPECT_EQ(checkpoint.error().code, Code::unsupported);
  EXPECT_THAT(checkpoint.error().message, HasSubstr("tensor 't'"));
  EXPECT_THAT(checkpoint.error().message, HasSubstr("'F8_E4M3'"));
}

TEST(Safetensors, SaysThatAFolderHoldsNone) {
  const test::TempFolder folder;
  const auto checkpoint = read_safetensors(folder.path());
  ASSERT_FALSE(checkpoint);
  EXPECT_EQ(checkpoint.error().code, Code::not_found);
  EXPECT_THAT(checkpoint.error().message, HasSubstr("model.safetensors"));
}

// GGUF's name of a tensor of the Hugging Face layout.
std::string gguf_name(std::string name) {
  const std::pair<std::string, std::string> parts[] = {{"model.embed_tokens", "token_embd"},
                                                       {"model.norm", "output_norm"},
                                                       {"model.layers", "blk"},
                                                       {"self_attn.q_proj", "attn_q"},
                                                       {"self_attn.k_proj", "attn_k"},
                                                       {"self_attn.v_proj", "attn_v"},
                                                       {"self_attn.o_proj", "attn_output"},
                                                       {"self_attn.query_layernorm", "attn_q_norm"},
                                                       {"self_attn.key_layernorm", "attn_k_norm"},
                                                       {"mlp.gate_proj", "ffn_gate"},
                                                       {"mlp.up_proj", "ffn_up"},
                                                       {"mlp.down_proj", "ffn_down"},
                                                       {"post_attention_layernorm", "ffn_norm"},
                                                       {"input_layernorm", "attn_norm"}};
  for (const auto& [from, to] : parts) {
    const size_t at = name.find(from);
    if (at != std::string::npos) name.replace(at, from.size(), to);
  }
  return name;
}

TEST(Safetensors, HoldTheDemoModelsWeightsJustAsItsGgufDoes) {
  HYMT_SHARED_OR_SKIP(folder, "data/demo-model");
  const auto hf = read_safetensors(folder + "/hf");
  const auto gguf = read_gguf(folder + "/demo-bf16.gguf");
  ASSERT_TRUE(hf) << hf.error().message;
  ASSERT_TRUE(gguf) << gguf.error().message;
  ASSERT_EQ(hf->tensors.size(), gguf->tensors.size());
  for (const Tensor& one : hf->tensors) {
    const Tensor* other = gguf->find(gguf_name(one.name));
    ASSERT_NE(other, nullptr) << one.name;
    EXPECT_EQ(one.shape, other->shape) << one.name;
    const int64_t n = one.rows() * one.columns();
    std::vector<float> a(static_cast<size_t>(n)), b(static_cast<size_t>(n));
    dequantize_row(one.type, one.data.data(), n, a.data());
    dequantize_row(other->type, other->data.data(), n, b.data());
    // The GGUF keeps vectors in F32; the other file rounds them to its own type.
    if (other->type == DType::f32) {
      for (float& value : b) value = bf16_to_f32(f32_to_bf16(value));
    }
    EXPECT_TRUE(a == b) << one.name;
  }
}

}  // namespace
}  // namespace hymt::checkpoint
