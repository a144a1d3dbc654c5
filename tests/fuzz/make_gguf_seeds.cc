// Writes the seeds of the GGUF fuzzer: make_gguf_seeds tests/fuzz/corpus/gguf
#include <cstdio>
#include <fstream>
#include <string>

#include "support/gguf_builder.h"

namespace {

using hymt::test::GgufBuilder;
using hymt::test::little_endian;

// Small enough that most bytes of the file are its header's.
constexpr hymt::test::TinyShape kShape{.n_layers = 1,
                                       .d_model = 4,
                                       .n_heads = 2,
                                       .n_kv_heads = 1,
                                       .d_head = 4,
                                       .d_ff = 4,
                                       .n_vocab = 8,
                                       .n_context = 16};

GgufBuilder every_value() {
  GgufBuilder out;
  out.raw("u8", 0, "\1").raw("i8", 1, "\1").raw("u16", 2, "ab").raw("i16", 3, "ab");
  out.u32("u32", 1).raw("i32", 5, "abcd").f32("f32", 1).raw("bool", 7, "\1").text("text", "abc");
  out.raw("u64", 10, "abcdefgh").raw("i64", 11, "abcdefgh").raw("f64", 12, "abcdefgh");
  out.texts("texts", {"a", "", "b"});
  const auto array = [](uint32_t type, const char* bytes) {
    return little_endian(type) + little_endian<uint64_t>(1) + bytes;
  };
  out.raw("i8s", 9, array(1, "a")).raw("u32s", 9, array(4, "abcd"));
  out.raw("f32s", 9, array(6, "abcd")).raw("bools", 9, array(7, "\1"));
  out.raw("u64s", 9, array(10, "abcdefg\1"));
  return out;
}

GgufBuilder every_type() {
  GgufBuilder out;
  out.u32("general.alignment", 8);
  out.data_alignment = 8;
  out.tensor("f32", {2}, 0, "abcdefgh").tensor("f16", {1, 2}, 1, "abcd");
  out.tensor("bf16", {2, 1}, 30, "abcd");
  out.tensor("q8_0", {1, 32}, 8, std::string(34, 'a'));
  out.tensor("q4_0", {1, 1, 1, 32}, 2, std::string(18, 'a'));
  return out;
}

GgufBuilder with_vocabulary() {
  GgufBuilder out = hymt::test::tiny_metadata(kShape);
  out.text("tokenizer.ggml.model", "gpt2").text("tokenizer.ggml.pre", "hunyuan");
  out.texts("tokenizer.ggml.tokens",
            {"a", "b", "ab", "<|startoftext|>", "<|eos|>", "<|extra_0|>", "<|extra_4|>", "c"});
  std::string kinds = little_endian(5u) + little_endian<uint64_t>(8);
  for (const int32_t kind : {1, 1, 1, 3, 3, 3, 3, 1}) kinds += little_endian(kind);
  out.raw("tokenizer.ggml.token_type", 9, kinds);
  out.texts("tokenizer.ggml.merges", {"a b"});
  out.u32("tokenizer.ggml.eos_token_id", 4);
  out.texts("hymt.languages", {"en"}).text("hymt.prompts", "hy-mt2");
  hymt::test::add_tiny_tensors(out, kShape);
  return out;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return std::fprintf(stderr, "usage: make_gguf_seeds FOLDER\n"), 2;
  const auto save = [&](const char* name, const GgufBuilder& builder) {
    std::ofstream(std::string(argv[1]) + "/" + name + ".gguf", std::ios::binary) << builder.bytes();
  };
  GgufBuilder version2 = every_type();
  version2.version = 2;
  auto untied = kShape;
  untied.tied = false;
  save("values", every_value());
  save("types", every_type());
  save("version2", version2);
  save("model", hymt::test::tiny_model(kShape));
  save("untied", hymt::test::tiny_model(untied));
  save("vocabulary", with_vocabulary());
  return 0;
}
