#include "model/gguf_vocabulary.h"

#include <gmock/gmock.h>

#include "support/small_vocabulary.h"

namespace hymt::model {
namespace {

using checkpoint::Checkpoint;
using checkpoint::Value;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;
using tokenizer::PreTokenizer;
using tokenizer::TokenKind;
using tokenizer::Vocabulary;
using Texts = std::vector<std::string>;
using Integers = std::vector<int64_t>;

Checkpoint small() {
  Checkpoint checkpoint{.path = "v.gguf", .metadata = {}, .tensors = {}, .owners = {}};
  auto& metadata = checkpoint.metadata;
  metadata["tokenizer.ggml.model"] = std::string("gpt2");
  metadata["tokenizer.ggml.pre"] = std::string("hunyuan-dense");
  metadata["tokenizer.ggml.tokens"] = Texts{"Ġ", "Ġa", "a", "<|x y|>", "<tag>", "[PAD5]"};
  metadata["tokenizer.ggml.token_type"] = Integers{1, 1, 1, 3, 4, 5};
  metadata["tokenizer.ggml.merges"] = Texts{"Ġ a"};
  return checkpoint;
}

TEST(GgufVocabulary, ReadsTokensKindsAndMerges) {
  const auto vocabulary = read_vocabulary(small());
  ASSERT_TRUE(vocabulary) << vocabulary.error().message;
  EXPECT_EQ(vocabulary->pre, PreTokenizer::hunyuan_dense);
  EXPECT_THAT(vocabulary->tokens, ElementsAre(" ", " a", "a", "<|x y|>", "<tag>", "[PAD5]"));
  EXPECT_THAT(vocabulary->kinds,
              ElementsAre(TokenKind::normal, TokenKind::normal, TokenKind::normal,
                          TokenKind::control, TokenKind::user_defined, TokenKind::unused));
  EXPECT_THAT(vocabulary->merges, ElementsAre(Pair(0, 2)));
}

TEST(GgufVocabulary, UserDefinedTokensThatLookSpecialAreControl) {
  Checkpoint checkpoint = small();
  checkpoint.metadata["tokenizer.ggml.tokens"] =
      Texts{"Ġ", "Ġa", "a", "<｜hy_User｜>", "<tag>", "<|extra_0|>"};
  checkpoint.metadata["tokenizer.ggml.token_type"] = Integers{1, 1, 1, 4, 4, 4};
  const auto vocabulary = read_vocabulary(checkpoint);
  ASSERT_TRUE(vocabulary) << vocabulary.error().message;
  EXPECT_EQ(vocabulary->kinds[3], TokenKind::control);
  EXPECT_EQ(vocabulary->kinds[4], TokenKind::user_defined);
  EXPECT_EQ(vocabulary->kinds[5], TokenKind::control);
}

TEST(GgufVocabulary, NamesFileKeyAndValueOfWhatIsWrong) {
  struct Wrong {
    const char* key;
    Value value;
    Code code;
    const char* says;
  };
  const std::vector<Wrong> cases = {
      {"tokenizer.ggml.model", std::string("llama"), Code::unsupported, "'llama'"},
      {"tokenizer.ggml.model", int64_t{1}, Code::invalid_argument, "string"},
      {"tokenizer.ggml.pre", std::string("qwen2"), Code::unsupported, "'qwen2'"},
      {"tokenizer.ggml.tokens", Texts{}, Code::invalid_argument, "0 entries"},
      {"tokenizer.ggml.tokens", Integers{1}, Code::invalid_argument, "no list of strings"},
      {"tokenizer.ggml.tokens", Texts{"Ġ", "Ġa", "a", "b b", "<tag>", "x"}, Code::invalid_argument,
       ""},
      {"tokenizer.ggml.tokens", Texts{"Ġ", "\xFF", "a", "b", "<tag>", "x"}, Code::invalid_argument,
       "byte-level"},
      {"tokenizer.ggml.token_type", Integers{1, 1}, Code::invalid_argument, "2 entries for 6"},
      {"tokenizer.ggml.token_type", Integers{1, 1, 1, 3, 4, 6}, Code::invalid_argument, "6 at 5"},
      {"tokenizer.ggml.token_type", Integers{1, 1, 0, 3, 4, 5}, Code::invalid_argument, "0 at 2"},
      {"tokenizer.ggml.token_type", Texts{"1"}, Code::invalid_argument, "integers"},
      {"tokenizer.ggml.merges", Texts{"Ġ b"}, Code::invalid_argument, "'Ġ b' at 0"},
      {"tokenizer.ggml.merges", Texts{"Ġ a", "a"}, Code::invalid_argument, "'a' at 1"},
      {"tokenizer.ggml.merges", Texts{""}, Code::invalid_argument, "'' at 0"},
      {"tokenizer.ggml.merges", Texts{" "}, Code::invalid_argument, "' ' at 0"},
      {"tokenizer.ggml.merges", true, Code::invalid_argument, "strings"},
      {"hymt.tokenizer.ranks", std::string("yes"), Code::invalid_argument, "true"},
  };
  for (const Wrong& wrong : cases) {
    Checkpoint checkpoint = small();
    checkpoint.metadata[wrong.key] = wrong.value;
    const auto vocabulary = read_vocabulary(checkpoint);
    if (!*wrong.says) {
      EXPECT_TRUE(vocabulary) << "a control token may hold blanks";
      continue;
    }
    ASSERT_FALSE(vocabulary) << wrong.key << " " << wrong.says;
    EXPECT_EQ(vocabulary.error().code, wrong.code) << wrong.key;
    EXPECT_EQ(vocabulary.error().field, wrong.key) << vocabulary.error().message;
    EXPECT_THAT(vocabulary.error().message, HasSubstr(wrong.says));
    EXPECT_THAT(vocabulary.error().message, HasSubstr(std::string("v.gguf: ") + wrong.key));
  }
}

TEST(GgufVocabulary, EveryKeyIsNeeded) {
  for (const auto& [key, value] : small().metadata) {
    Checkpoint checkpoint = small();
    checkpoint.metadata.erase(key);
    const auto vocabulary = read_vocabulary(checkpoint);
    ASSERT_FALSE(vocabulary) << key;
    EXPECT_EQ(vocabulary.error().field, key);
  }
}

Vocabulary written_and_read(const Vocabulary& vocabulary) {
  Checkpoint checkpoint;
  EXPECT_TRUE(write_vocabulary(vocabulary, checkpoint));
  auto back = read_vocabulary(checkpoint);
  EXPECT_TRUE(back) << back.error().message;
  return back ? *std::move(back) : Vocabulary();
}

TEST(GgufVocabulary, ComesBackAsItWasWritten) {
  auto vocabulary = test::small_vocabulary({{"a", "b"}, {"ab", " "}}, {"<|eos|>"});
  vocabulary.tokens.emplace_back();
  vocabulary.kinds.push_back(TokenKind::unused);
  vocabulary.whole_words = true;
  const Vocabulary back = written_and_read(vocabulary);
  EXPECT_EQ(back.pre, vocabulary.pre);
  EXPECT_EQ(back.kinds, vocabulary.kinds);
  EXPECT_EQ(back.merges, vocabulary.merges);
  EXPECT_TRUE(back.whole_words);
  vocabulary.tokens.back() = "[PAD259]";  // a hole gets a name that no other token has
  EXPECT_EQ(back.tokens, vocabulary.tokens);
}

TEST(GgufVocabulary, RanksStayRanksAndCarryMergesForOthers) {
  auto vocabulary = test::small_vocabulary({{"a", "b"}, {"ab", " "}}, {"<|eos|>"});
  vocabulary.merges.clear();
  Checkpoint checkpoint;
  ASSERT_TRUE(write_vocabulary(vocabulary, checkpoint));
  EXPECT_EQ(std::get<Texts>(checkpoint.metadata["tokenizer.ggml.merges"]), (Texts{"a b", "ab Ġ"}));
  EXPECT_TRUE(written_and_read(vocabulary).merges.empty());
}

}  // namespace
}  // namespace hymt::model
