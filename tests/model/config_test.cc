#include "model/config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "checkpoint/gguf.h"
#include "support/gguf_builder.h"
#include "support/shared_data.h"

namespace hymt::model {
namespace {

using checkpoint::Checkpoint;
using checkpoint::Value;
using testing::HasSubstr;

// A checkpoint of a small model whose tensors' data stays with it.
Checkpoint small_model() {
  auto bytes = std::make_shared<const std::string>(test::tiny_model().bytes());
  auto checkpoint = checkpoint::read_gguf(std::as_bytes(std::span(*bytes)), "m.gguf");
  EXPECT_TRUE(checkpoint);
  checkpoint->owners.push_back(bytes);
  return *std::move(checkpoint);
}

std::string key(const std::string& name) {
  return "hunyuan-dense." + name;
}

TEST(Config, ReadsTheShape) {
  const auto config = read_config(small_model());
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->n_layers, 2);
  EXPECT_EQ(config->d_model, 64);
  EXPECT_EQ(config->n_heads, 4);
  EXPECT_EQ(config->n_kv_heads, 2);
  EXPECT_EQ(config->d_head, 32);
  EXPECT_EQ(config->d_query(), 128);
  EXPECT_EQ(config->d_kv(), 64);
  EXPECT_EQ(config->d_ff, 96);
  EXPECT_EQ(config->n_vocab, 300);
  EXPECT_EQ(config->n_context, 128);
  EXPECT_EQ(config->rms_epsilon, 1e-5f);
  EXPECT_EQ(config->rope_base, 500000);
}

TEST(Config, ReadsTheDemoModel) {
  const auto checkpoint = checkpoint::read_gguf(test::source_path("models/demo.gguf"));
  ASSERT_TRUE(checkpoint);
  const auto config = read_config(*checkpoint);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->n_layers, 6);
  EXPECT_EQ(config->d_model, 256);
  EXPECT_EQ(config->n_heads, 4);
  EXPECT_EQ(config->n_kv_heads, 2);
  EXPECT_EQ(config->d_head, 64);
  EXPECT_EQ(config->d_ff, 1024);
  EXPECT_EQ(config->n_vocab, 8192);
  EXPECT_EQ(config->n_context, 2048);
  EXPECT_FLOAT_EQ(config->rms_epsilon, 1e-5f);
  // theta 10000, alpha 1000, folded into the file's base as a float32
  EXPECT_NEAR(config->rope_base, 10000 * std::pow(1000.0, 64.0 / 62.0), 1);
}

TEST(RopeBase, HasThePublishedValues) {
  EXPECT_NEAR(scaled_rope_base(10000, 50, 128), 532032.03, 0.01);
  EXPECT_NEAR(scaled_rope_base(10000, 1000, 128), 11158839.925, 0.001);
  EXPECT_NEAR(scaled_rope_base(10000, 100000, 128), 1200508057.75, 0.01);
}

TEST(RopeBase, IsTakenAsScaledUnlessTheFileCarriesTheAlpha) {
  Checkpoint checkpoint = small_model();
  checkpoint.metadata[key("rope.freq_base")] = 10000.0;
  EXPECT_EQ(read_config(checkpoint)->rope_base, 10000);
  checkpoint.metadata[key("rope.scaling.alpha")] = 0.0;
  EXPECT_EQ(read_config(checkpoint)->rope_base, 10000);
  checkpoint.metadata[key("rope.scaling.alpha")] = 1000.0;
  EXPECT_NEAR(read_config(checkpoint)->rope_base, 10000 * std::pow(1000.0, 32.0 / 30.0), 1e-3);
}

TEST(RopeBase, OtherScalingsAreRefusedUnlessTheyChangeNothing) {
  Checkpoint checkpoint = small_model();
  checkpoint.metadata[key("rope.scaling.type")] = std::string("yarn");
  checkpoint.metadata[key("rope.scaling.factor")] = 1.0;
  EXPECT_TRUE(read_config(checkpoint));
  checkpoint.metadata[key("rope.scaling.factor")] = 4.0;
  EXPECT_EQ(read_config(checkpoint).error().code, Code::unsupported);
  checkpoint.metadata[key("rope.scaling.type")] = std::string("none");
  EXPECT_TRUE(read_config(checkpoint));
}

TEST(RopeFrequencies, FallGeometricallyFromOne) {
  Config config;
  config.d_head = 8;
  config.rope_base = 10000;
  const auto frequencies = rope_frequencies(config);
  ASSERT_EQ(frequencies.size(), 4u);
  const double expected[] = {1, 0.1, 0.01, 0.001};
  for (size_t i = 0; i < 4; ++i) EXPECT_NEAR(frequencies[i], expected[i], 1e-15);
}

TEST(Config, HeadSizesDefaultAsTheFormatSays) {
  Checkpoint checkpoint = small_model();
  checkpoint.metadata.erase(key("attention.head_count_kv"));
  checkpoint.metadata.erase(key("attention.key_length"));
  checkpoint.metadata.erase(key("attention.value_length"));
  const auto config = read_config(checkpoint);
  ASSERT_TRUE(config) << config.error().message;
  EXPECT_EQ(config->n_kv_heads, 4);
  EXPECT_EQ(config->d_head, 64 / 4);
}

TEST(Config, AVocabularyMayBeShorterThanItsEmbeddingButNotLonger) {
  Checkpoint checkpoint = small_model();
  checkpoint.metadata["tokenizer.ggml.tokens"] = std::vector<std::string>(290, "t");
  EXPECT_EQ(read_config(checkpoint)->n_vocab, 300);
  checkpoint.metadata["tokenizer.ggml.tokens"] = std::vector<std::string>(301, "t");
  EXPECT_THAT(read_config(checkpoint).error().message, HasSubstr("301"));
}

TEST(Config, RefusesWhatCannotBeAndNamesFileKeyAndValue) {
  const struct {
    const char* key;
    Value value;
    const char* shown;
  } cases[] = {
      {"block_count", int64_t{0}, "0"},
      {"block_count", int64_t{1} << 40, "1099511627776"},
      {"block_count", std::string("six"), "not an integer"},
      {"embedding_length", int64_t{-1}, "-1"},
      {"feed_forward_length", int64_t{1} << 21, "2097152"},
      {"context_length", int64_t{0}, "0"},
      {"context_length", UINT64_MAX, "not an integer"},
      {"attention.head_count", int64_t{3}, "3"},  // 2 kv heads
      {"attention.head_count_kv", int64_t{0}, "0"},
      {"attention.head_count_kv", std::vector<int64_t>{2, 2}, "not an integer"},
      {"attention.key_length", int64_t{33}, "33"},
      {"attention.key_length", int64_t{1026}, "1026"},
      {"attention.value_length", int64_t{64}, "64"},
      {"attention.layer_norm_rms_epsilon", -1.0, "-1"},
      {"attention.layer_norm_rms_epsilon", NAN, "not a finite number"},
      {"rope.freq_base", 0.0, "0"},
      {"rope.freq_base", INFINITY, "not a finite number"},
      {"rope.scaling.alpha", 1e300, "1e+300"},
      {"vocab_size", int64_t{299}, "299"},
  };
  for (const auto& one : cases) {
    Checkpoint checkpoint = small_model();
    checkpoint.metadata[key(one.key)] = one.value;
    const auto config = read_config(checkpoint);
    ASSERT_FALSE(config) << one.key << " " << one.shown;
    EXPECT_EQ(config.error().code, Code::invalid_argument);
    EXPECT_EQ(config.error().field, key(one.key));
    EXPECT_THAT(config.error().message, HasSubstr("m.gguf: " + key(one.key)));
    EXPECT_THAT(config.error().message, HasSubstr(one.shown));
  }
}

TEST(Config, MissingKeysAreNamed) {
  for (const char* name :
       {"block_count", "embedding_length", "feed_forward_length", "context_length",
        "attention.head_count", "attention.layer_norm_rms_epsilon", "rope.freq_base"}) {
    Checkpoint checkpoint = small_model();
    checkpoint.metadata.erase(key(name));
    const auto config = read_config(checkpoint);
    ASSERT_FALSE(config) << name;
    EXPECT_EQ(config.error().field, key(name));
  }
  Checkpoint checkpoint = small_model();
  checkpoint.tensors.clear();
  EXPECT_THAT(read_config(checkpoint).error().message, HasSubstr("token_embd.weight"));
}

TEST(Config, OtherArchitecturesAreRefusedByName) {
  Checkpoint checkpoint = small_model();
  checkpoint.metadata["general.architecture"] = std::string("llama");
  const auto config = read_config(checkpoint);
  ASSERT_FALSE(config);
  EXPECT_EQ(config.error().code, Code::unsupported);
  EXPECT_THAT(config.error().message, HasSubstr("'llama'"));
}

}  // namespace
}  // namespace hymt::model
