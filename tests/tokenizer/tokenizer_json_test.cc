#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

#include "support/shared_data.h"
#include "tokenizer/vocabulary.h"

namespace hymt::tokenizer {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

// The patterns as the publisher's files have them.
constexpr const char* kHunyuan =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr const char* kDenseThird =
    "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]"
    "+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+";

json split(const std::string& pattern) {
  return {{"type", "Split"},
          {"pattern", {{"Regex", pattern}}},
          {"behavior", "Isolated"},
          {"invert", false}};
}

json byte_level() {
  return {{"type", "ByteLevel"},
          {"add_prefix_space", false},
          {"trim_offsets", true},
          {"use_regex", false}};
}

json pre_tokenizer(std::vector<json> steps) {
  steps.push_back(byte_level());
  return {{"type", "Sequence"}, {"pretokenizers", steps}};
}

json small() {
  return {{"version", "1.0"},
          {"normalizer", {{"type", "NFC"}}},
          {"pre_tokenizer", pre_tokenizer({split(kHunyuan)})},
          {"added_tokens",
           {{{"id", 6}, {"content", "<|eos|>"}, {"special", true}},
            {{"id", 4}, {"content", "<tag>"}, {"special", false}}}},
          {"model",
           {{"type", "BPE"},
            {"vocab", {{"a", 0}, {"b", 1}, {"Ġ", 2}, {"ab", 3}}},
            {"merges", {"a b"}}}}};
}

TEST(TokenizerJson, ReadsTokensKindsAndMerges) {
  const auto vocabulary = read_tokenizer_json(small().dump(), "t.json");
  ASSERT_TRUE(vocabulary) << vocabulary.error().message;
  EXPECT_EQ(vocabulary->pre, PreTokenizer::hunyuan);
  EXPECT_THAT(vocabulary->tokens, ElementsAre("a", "b", " ", "ab", "<tag>", "", "<|eos|>"));
  EXPECT_THAT(
      vocabulary->kinds,
      ElementsAre(TokenKind::normal, TokenKind::normal, TokenKind::normal, TokenKind::normal,
                  TokenKind::user_defined, TokenKind::unused, TokenKind::control));
  EXPECT_THAT(vocabulary->merges, ElementsAre(Pair(0, 1)));
  EXPECT_FALSE(vocabulary->whole_words);
}

TEST(TokenizerJson, TakesMergesAsPairsToo) {
  json root = small();
  root["model"]["merges"] = json::array({json::array({"a", "b"})});
  root["model"]["ignore_merges"] = true;
  const auto vocabulary = read_tokenizer_json(root.dump(), "t.json");
  ASSERT_TRUE(vocabulary) << vocabulary.error().message;
  EXPECT_THAT(vocabulary->merges, ElementsAre(Pair(0, 1)));
  EXPECT_TRUE(vocabulary->whole_words);
}

TEST(TokenizerJson, KnowsTheDensePatternsWhetherLineEndsAreEscapedOrNot) {
  std::string escaped = kDenseThird;
  for (const auto& [raw, text] : {std::pair{'\r', "\\r"}, std::pair{'\n', "\\n"}}) {
    for (size_t at; (at = escaped.find(raw)) != std::string::npos;) escaped.replace(at, 1, text);
  }
  for (const std::string& third : {std::string(kDenseThird), escaped}) {
    json root = small();
    root["normalizer"] = nullptr;
    root["pre_tokenizer"] =
        pre_tokenizer({split("\\p{N}{1,3}"), split("[一-龥\u3040-ゟ゠-ヿ]+"), split(third)});
    const auto vocabulary = read_tokenizer_json(root.dump(), "t.json");
    ASSERT_TRUE(vocabulary) << vocabulary.error().message;
    EXPECT_EQ(vocabulary->pre, PreTokenizer::hunyuan_dense);
  }
}

TEST(TokenizerJson, AnAddedTokenMayBeInTheVocabularyAsWell) {
  json root = small();
  root["model"]["vocab"]["<|eos|>"] = 6;
  const auto vocabulary = read_tokenizer_json(root.dump(), "t.json");
  ASSERT_TRUE(vocabulary) << vocabulary.error().message;
  EXPECT_EQ(vocabulary->kinds[6], TokenKind::control);
}

TEST(TokenizerJson, AddedTokensThatLookSpecialAreControl) {
  // Publishers call the tokens that open a turn ordinary ones.
  json root = small();
  root["added_tokens"][1]["content"] = "<｜hy_User｜>";
  const auto vocabulary = read_tokenizer_json(root.dump(), "t.json");
  ASSERT_TRUE(vocabulary) << vocabulary.error().message;
  EXPECT_EQ(vocabulary->kinds[4], TokenKind::control);
}

TEST(TokenizerJson, WorksAsTheDemoModelsFile) {
  HYMT_SHARED_OR_SKIP(path, "data/demo-model/hf/tokenizer.json");
  const auto vocabulary = read_tokenizer_json(test::read_file(path), path);
  ASSERT_TRUE(vocabulary) << vocabulary.error().message;
  EXPECT_EQ(vocabulary->tokens.size(), 8192u);
  EXPECT_EQ(vocabulary->merges.size(), 7928u);
  EXPECT_EQ(vocabulary->find_special("<|startoftext|>"), 8185);
}

// Each change makes another tokenizer of it, or none; the message names file and field.
struct Wrong {
  const char* where;
  json value;
  Code code;
  const char* field;
};

TEST(TokenizerJson, RefusesWhatItWouldGetWrong) {
  const std::vector<Wrong> cases = {
      {"/model", nullptr, Code::invalid_argument, "model"},
      {"/model", 7, Code::invalid_argument, "model"},
      {"/model/type", "Unigram", Code::unsupported, "model.type"},
      {"/model/byte_fallback", true, Code::unsupported, "model.byte_fallback"},
      {"/model/end_of_word_suffix", "</w>", Code::unsupported, "model.end_of_word_suffix"},
      {"/model/vocab", json::object(), Code::invalid_argument, "model.vocab"},
      {"/model/vocab", "x", Code::invalid_argument, "model.vocab"},
      {"/model/vocab/a", -1, Code::invalid_argument, "model.vocab"},
      {"/model/vocab/a", 1, Code::invalid_argument, "model.vocab"},
      {"/model/vocab/a", 1.5, Code::invalid_argument, "model.vocab"},
      {"/model/vocab/a", 4000000000, Code::invalid_argument, "model.vocab"},
      {"/model/vocab/a", 18446744073709551615u, Code::invalid_argument, "model.vocab"},
      {"/model/merges", nullptr, Code::invalid_argument, "model.merges"},
      {"/model/merges/0", "a c", Code::invalid_argument, "model.merges"},
      {"/model/merges/0", "ab", Code::invalid_argument, "model.merges"},
      {"/model/merges/0", 3, Code::invalid_argument, "model.merges"},
      {"/model/merges/0", json::array({"a"}), Code::invalid_argument, "model.merges"},
      {"/model/merges/0", json::array({"a", 1}), Code::invalid_argument, "model.merges"},
      {"/added_tokens", 1, Code::invalid_argument, "added_tokens"},
      {"/added_tokens/0", 1, Code::invalid_argument, "added_tokens"},
      {"/added_tokens/0/id", 0, Code::invalid_argument, "added_tokens"},
      {"/added_tokens/0/id", "6", Code::invalid_argument, "added_tokens"},
      {"/added_tokens/0/content", "", Code::invalid_argument, "added_tokens"},
      {"/normalizer", {{"type", "NFKC"}}, Code::unsupported, "normalizer"},
      {"/pre_tokenizer", nullptr, Code::invalid_argument, "pre_tokenizer"},
      {"/pre_tokenizer", byte_level(), Code::unsupported, "pre_tokenizer"},
      {"/pre_tokenizer", split(kHunyuan), Code::unsupported, "pre_tokenizer"},
      {"/pre_tokenizer", pre_tokenizer({split("\\w+")}), Code::unsupported, "pre_tokenizer"},
      {"/pre_tokenizer/pretokenizers", 3, Code::invalid_argument, "pre_tokenizer"},
      {"/pre_tokenizer/pretokenizers/0/behavior", "Removed", Code::unsupported, "pre_tokenizer"},
      {"/pre_tokenizer/pretokenizers/0/type", "Digits", Code::unsupported, "pre_tokenizer"},
      {"/pre_tokenizer/pretokenizers/1/use_regex", true, Code::unsupported, "pre_tokenizer"},
      {"/pre_tokenizer/pretokenizers/1/add_prefix_space", true, Code::unsupported, "pre_tokenizer"},
  };
  for (const Wrong& wrong : cases) {
    json root = small();
    root[json::json_pointer(wrong.where)] = wrong.value;
    const auto vocabulary = read_tokenizer_json(root.dump(), "t.json");
    ASSERT_FALSE(vocabulary) << wrong.where << " " << wrong.value;
    EXPECT_EQ(vocabulary.error().code, wrong.code) << vocabulary.error().message;
    EXPECT_EQ(vocabulary.error().field, wrong.field) << vocabulary.error().message;
    EXPECT_THAT(vocabulary.error().message, HasSubstr("t.json: "));
  }
}

TEST(TokenizerJson, RefusesWhatIsNoJson) {
  const std::string good = small().dump();
  for (const std::string& text : {std::string(), std::string("[]"), good.substr(0, good.size() / 2),
                                  "{\"a\":" + std::string(100000, '['), std::string("\xFF"),
                                  std::string("{\"model\": 1e999}")}) {
    const auto vocabulary = read_tokenizer_json(text, "t.json");
    ASSERT_FALSE(vocabulary) << text.substr(0, 80);
    EXPECT_EQ(vocabulary.error().code, Code::invalid_argument);
    EXPECT_THAT(vocabulary.error().message, HasSubstr("t.json: "));
  }
}

}  // namespace
}  // namespace hymt::tokenizer
