#include "tokenizer/tokenizer.h"

#include <gmock/gmock.h>

#include "base/utf8.h"
#include "support/shared_data.h"
#include "support/small_vocabulary.h"

namespace hymt::tokenizer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<std::pair<std::string, std::string>> kMerges = {
    {"<", "|"}, {"e", "o"}, {"eo", "s"}, {"|", ">"}, {" ", "a"}};

TEST(Tokenizer, MergesInsideWordsOnly) {
  const auto tokenizer = *Tokenizer::make(test::small_vocabulary({{"a", "b"}, {"b", " "}}));
  EXPECT_THAT(tokenizer->encode("ab b a"), ElementsAre(256, ' ', 'b', ' ', 'a'));
  EXPECT_TRUE(tokenizer->encode("").empty());
}

TEST(Tokenizer, TextNeverBecomesASpecialToken) {
  // Even where the merges lead to one.
  auto vocabulary = test::small_vocabulary(kMerges, {"<|eos|>", "eos|"});
  vocabulary.merges.emplace_back(258, '|');
  const Token eos = vocabulary.find_special("<|eos|>");
  const auto tokenizer = *Tokenizer::make(vocabulary);
  ASSERT_EQ(eos, 261);
  for (const std::string text : {"<|eos|>", "a<|eos|>b<|extra_0|>c", "<<|eos|>>", "eos|"}) {
    const auto tokens = tokenizer->encode(text);
    for (const Token token : tokens) EXPECT_LT(token, eos);
    EXPECT_EQ(tokenizer->decode(tokens), text);
  }
}

TEST(Tokenizer, SpecialTokensHaveNoBytes) {
  auto vocabulary = test::small_vocabulary({{"a", "b"}}, {"<|eos|>"});
  vocabulary.tokens.push_back("[PAD258]");
  vocabulary.kinds.push_back(TokenKind::unused);
  vocabulary.tokens.push_back("<tag>");
  vocabulary.kinds.push_back(TokenKind::user_defined);
  const auto tokenizer = *Tokenizer::make(vocabulary);
  EXPECT_EQ(tokenizer->bytes(256), "ab");
  for (const Token token : {257, 258, 260, -1, INT32_MAX, INT32_MIN}) {
    EXPECT_EQ(tokenizer->bytes(token), "");
  }
  EXPECT_EQ(tokenizer->bytes(259), "<tag>");
  EXPECT_EQ(tokenizer->decode({257, 'x', 258, 256}), "xab");
}

TEST(Tokenizer, Normalises7BTextOnly) {
  const std::string decomposed = "e\u0301";
  const auto seven = *Tokenizer::make(test::small_vocabulary({}));
  EXPECT_EQ(seven->decode(seven->encode(decomposed)), "\u00e9");
  const auto dense = *Tokenizer::make(test::small_vocabulary({}, {}, PreTokenizer::hunyuan_dense));
  EXPECT_EQ(dense->decode(dense->encode(decomposed)), decomposed);
}

TEST(Tokenizer, WordsThatAreTokensStayWholeIfTheVocabularySaysSo) {
  auto vocabulary = test::small_vocabulary({{"a", "b"}, {"b", "c"}, {"a", "bc"}});
  vocabulary.merges.pop_back();  // "abc" is a token that the merges do not reach
  EXPECT_THAT((*Tokenizer::make(vocabulary))->encode("abc"), ElementsAre(256, 'c'));
  vocabulary.whole_words = true;
  EXPECT_THAT((*Tokenizer::make(vocabulary))->encode("abc"), ElementsAre(258));
  vocabulary.whole_words = false;
  vocabulary.merges.clear();  // ranks
  EXPECT_THAT((*Tokenizer::make(vocabulary))->encode("abc"), ElementsAre(258));
}

TEST(Tokenizer, IllFormedTextBecomesReplacementCharacters) {
  const auto tokenizer = *Tokenizer::make(test::small_vocabulary({}));
  EXPECT_EQ(tokenizer->decode(tokenizer->encode("a\xFF\xE4\xB8z")), "a\uFFFD\uFFFDz");
}

TEST(Tokenizer, NeedsEveryByteThatUtf8CanHold) {
  auto vocabulary = test::small_vocabulary({});
  vocabulary.tokens[0xC0] = "never used: 0xC0 is in no UTF-8";
  EXPECT_TRUE(Tokenizer::make(vocabulary));
  vocabulary.tokens[0xE4] = "used";
  const auto tokenizer = Tokenizer::make(vocabulary);
  ASSERT_FALSE(tokenizer);
  EXPECT_THAT(tokenizer.error().message, HasSubstr("small: "));
  EXPECT_THAT(tokenizer.error().message, HasSubstr("byte 228"));
  vocabulary.kinds.pop_back();
  EXPECT_FALSE(Tokenizer::make(vocabulary)) << "tokens and types differ in number";
}

TEST(Tokenizer, FindsSpecialTokensByText) {
  const auto vocabulary = test::small_vocabulary({{"a", "b"}}, {"<|eos|>", "<|pad|>"});
  EXPECT_EQ(vocabulary.find_special("<|pad|>"), 258);
  EXPECT_EQ(vocabulary.find_special("ab"), -1);
  EXPECT_EQ(vocabulary.find_special(""), -1);
}

// Ids that a project which ran the published files reports for a prompt's text.
TEST(Tokenizer, GivesTheReportedIdsOfThePublishedVocabulary) {
  HYMT_SHARED_OR_SKIP(path, "data/tokenizer/hy.tiktoken");
  auto vocabulary = read_tiktoken(test::read_file(path), path);
  ASSERT_TRUE(vocabulary) << vocabulary.error().message;
  EXPECT_EQ(vocabulary->find_special("<|endoftext|>"), 127957);
  EXPECT_EQ(vocabulary->find_special("<|startoftext|>"), 127958);
  EXPECT_EQ(vocabulary->find_special("<|eos|>"), 127960);
  EXPECT_EQ(vocabulary->find_special("<|extra_0|>"), 127962);
  EXPECT_EQ(vocabulary->find_special("<|extra_204|>"), 128166);
  EXPECT_EQ(vocabulary->tokens.size(), 128167u);

  const auto tokenizer = Tokenizer::make(*std::move(vocabulary));
  ASSERT_TRUE(tokenizer) << tokenizer.error().message;
  EXPECT_THAT((*tokenizer)->encode("Translate the following text into Chinese:\nHello, world."),
              ElementsAre(28573, 279, 2768, 1495, 1139, 8620, 512, 9906, 11, 1917, 13));
}

}  // namespace
}  // namespace hymt::tokenizer
