#include "bench/random_model.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

#include "bench/random_vocabulary.h"
#include "bench/random_weights.h"
#include "checkpoint/gguf.h"
#include "checkpoint/quantize.h"
#include "model/model.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"
#include "tokenizer/tokenizer.h"

namespace hymt::bench {
namespace {

using checkpoint::DType;
using checkpoint::Tensor;
using tokenizer::PreTokenizer;
using tokenizer::Token;
using tokenizer::Vocabulary;

// Head widths times heads that are not d_model, rows that are no multiple of 32.
RandomModel odd_model() {
  RandomModel out = *random_model("demo");
  auto& c = out.config;
  c.n_layers = 2, c.d_model = 96, c.n_heads = 6, c.n_kv_heads = 3, c.d_head = 32, c.d_ff = 144;
  c.n_vocab = 1003;
  out.tied = false;
  return out;
}

std::vector<float> weights(const Tensor& tensor) {
  const auto n = static_cast<size_t>(tensor.rows() * tensor.columns());
  std::vector<float> out(n);
  dequantize_row(tensor.type, tensor.data.data(), static_cast<int64_t>(n), out.data());
  return out;
}

struct Moments {
  double mean, deviation;
};
Moments moments(const std::vector<float>& values) {
  double sum = 0, squares = 0;
  for (const double value : values) sum += value, squares += value * value;
  const double n = static_cast<double>(values.size()), mean = sum / n;
  return {mean, std::sqrt(squares / n - mean * mean)};
}

TEST(RandomModel, LoadsInEveryTypeAndFamily) {
  ThreadPool pool(2);
  const test::TempFolder folder;
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::q8_0, DType::q4_0}) {
    for (const bool dense : {false, true}) {
      RandomModel recipe = odd_model();
      if (dense) recipe.pre = PreTokenizer::hunyuan_dense, recipe.prompts = "hy-mt1.5";
      const auto size = write_random_model(recipe, type, 1, folder / "m.gguf", pool);
      ASSERT_TRUE(size) << size.error().message;
      EXPECT_EQ(*size, std::filesystem::file_size(folder / "m.gguf"));
      auto checkpoint = checkpoint::read_gguf(folder / "m.gguf");
      ASSERT_TRUE(checkpoint) << checkpoint.error().message;
      const auto model = model::load(*std::move(checkpoint));
      ASSERT_TRUE(model) << model.error().message;
      EXPECT_EQ(model->config.n_vocab, 1003);
      EXPECT_EQ(model->weights.layers[0].q->type, type);
      EXPECT_NE(model->weights.output, model->weights.embedding);
      // 144 columns are no multiple of 32.
      const bool blocks = checkpoint::block_shape(type).elements > 1;
      EXPECT_EQ(model->weights.layers[0].down->type, blocks ? DType::f16 : type);
      EXPECT_EQ(model::name(model->card.generation), recipe.prompts);
    }
  }
}

TEST(RandomModel, TheSameSeedGivesTheSameBytesOnAnyPool) {
  const test::TempFolder folder;
  ThreadPool one(1), three(3);
  ASSERT_TRUE(write_random_model(odd_model(), DType::q4_0, 7, folder / "a", one));
  ASSERT_TRUE(write_random_model(odd_model(), DType::q4_0, 7, folder / "b", three));
  ASSERT_TRUE(write_random_model(odd_model(), DType::q4_0, 8, folder / "c", one));
  const std::string a = test::read_file(folder / "a");
  EXPECT_TRUE(a == test::read_file(folder / "b"));
  EXPECT_FALSE(a == test::read_file(folder / "c"));
}

TEST(RandomModel, WeightsAreSpreadAsAPlainInitialisationSpreadsThem) {
  const test::TempFolder folder;
  ThreadPool pool(2);
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::q8_0, DType::q4_0}) {
    ASSERT_TRUE(write_random_model(*random_model("demo"), type, 3, folder / "m.gguf", pool));
    const auto checkpoint = checkpoint::read_gguf(folder / "m.gguf");
    ASSERT_TRUE(checkpoint);
    // 1 / sqrt(256); 65536 weights, so that chance moves the deviation by 0.3 %.
    const Moments q = moments(weights(*checkpoint->find("blk.3.attn_q.weight")));
    EXPECT_NEAR(q.deviation, 1 / 16.0, 0.1 / 16) << name(type);
    EXPECT_NEAR(q.mean, 0, 0.02 / 16) << name(type);
    const Moments norm = moments(weights(*checkpoint->find("blk.3.attn_norm.weight")));
    EXPECT_NEAR(norm.mean, 1, 0.03);
    EXPECT_NEAR(norm.deviation, 0.1, 0.03);
  }
}

TEST(RandomModel, RowsDiffer) {
  for (const DType type : {DType::f32, DType::q8_0, DType::q4_0}) {
    const RandomRows rows(type, 0, 1);
    std::set<std::string> seen;
    for (uint64_t seed = 0; seed < 20; ++seed) {
      for (int64_t row = 0; row < 20; ++row) {
        std::string bytes(checkpoint::row_bytes(type, 64), '\0');
        rows.fill(seed, row, 64, reinterpret_cast<std::byte*>(bytes.data()));
        EXPECT_TRUE(seen.insert(bytes).second);
      }
    }
  }
}

TEST(RandomModel, ShapesThatNoModelCanHaveAreRefused) {
  const test::TempFolder folder;
  ThreadPool pool(1);
  const auto refused = [&](const std::function<void(RandomModel&)>& change) {
    RandomModel recipe = odd_model();
    change(recipe);
    return !write_random_model(recipe, DType::q4_0, 1, folder / "m.gguf", pool);
  };
  EXPECT_TRUE(refused([](RandomModel& m) { m.config.d_head = 33; }));
  EXPECT_TRUE(refused([](RandomModel& m) { m.config.n_kv_heads = 4; }));
  EXPECT_TRUE(refused([](RandomModel& m) { m.config.n_vocab = 100; }));
  EXPECT_TRUE(refused([](RandomModel& m) { m.config.n_layers = 0; }));
  EXPECT_FALSE(refused([](RandomModel&) {}));
  EXPECT_FALSE(random_model("gpt-2"));
}

TEST(RandomVocabulary, HasTheSpecialTokensAtTheirPublishedIds) {
  const Vocabulary large = random_vocabulary(128256, PreTokenizer::hunyuan, 1);
  const Vocabulary dense = random_vocabulary(120818, PreTokenizer::hunyuan_dense, 1);
  const std::tuple<const Vocabulary&, const char*, Token> published[] = {
      {large, "<|endoftext|>", 127957},
      {large, "<|startoftext|>", 127958},
      {large, "<|bos|>", 127959},
      {large, "<|eos|>", 127960},
      {large, "<|pad|>", 127961},
      {large, "<|extra_0|>", 127962},
      {large, "<|extra_4|>", 127966},
      {large, "<|extra_5|>", 127967},
      {large, "<|extra_204|>", 128166},
      {dense, "<｜hy_begin▁of▁sentence｜>", 120000},
      {dense, "<｜hy_User｜>", 120006},
      {dense, "<｜hy_Assistant｜>", 120007},
      {dense, "<｜hy_place▁holder▁no▁2｜>", 120020},
      {dense, "<｜hy_place▁holder▁no▁3｜>", 120021},
      {dense, "<｜hy_place▁holder▁no▁8｜>", 120026},
  };
  for (const auto& [vocabulary, text, id] : published) {
    EXPECT_EQ(vocabulary.find_special(text), id) << text;
  }
}

TEST(RandomVocabulary, IsABytePairVocabulary) {
  for (const auto pre : {PreTokenizer::hunyuan, PreTokenizer::hunyuan_dense}) {
    for (const int n_vocab : {kSmallestVocabulary, 1003, 20000}) {
      const Vocabulary vocabulary = random_vocabulary(n_vocab, pre, 5);
      ASSERT_EQ(vocabulary.tokens.size(), static_cast<size_t>(n_vocab));
      for (int byte = 0; byte < 256; ++byte) {
        EXPECT_EQ(vocabulary.tokens[static_cast<size_t>(byte)],
                  std::string(1, static_cast<char>(byte)));
      }
      // Every merge makes the next token of two earlier ones, and no token is there twice.
      size_t made = 256;
      for (const auto& [left, right] : vocabulary.merges) {
        EXPECT_LT(std::max(left, right), static_cast<Token>(made));
        EXPECT_EQ(vocabulary.tokens[made++], vocabulary.tokens[static_cast<size_t>(left)] +
                                                 vocabulary.tokens[static_cast<size_t>(right)]);
      }
      const std::set<std::string> different(vocabulary.tokens.begin(), vocabulary.tokens.end());
      EXPECT_EQ(different.size(), vocabulary.tokens.size());
    }
  }
}

TEST(RandomVocabulary, TokenizesAnyTextAndBack) {
  for (const auto pre : {PreTokenizer::hunyuan, PreTokenizer::hunyuan_dense}) {
    const Vocabulary vocabulary = random_vocabulary(20000, pre, 5);
    const auto tokenizer = tokenizer::Tokenizer::make(vocabulary);
    ASSERT_TRUE(tokenizer) << tokenizer.error().message;
    const std::string text =
        "The quick brown fox, 你好世界！ ภาษาไทย 🦊 123\n";
    const auto tokens = (*tokenizer)->encode(text);
    EXPECT_EQ((*tokenizer)->decode(tokens), text);
    EXPECT_LT(tokens.size(), text.size());  // some merges apply
  }
}

}  // namespace
}  // namespace hymt::bench
