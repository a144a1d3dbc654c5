#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/shared_data.h"
#include "translate/quality/bleu.h"
#include "translate/quality/chrf.h"

namespace hymt::translate::quality {
namespace {

using Words = std::vector<std::string>;

// Scores that sacreBLEU itself gave to these sentences.
TEST(Quality, ScoresAreThoseOfSacreBleu) {
  const auto corpora = nlohmann::json::parse(
      test::read_file(test::source_path("tests/data/translate/sacrebleu.json")));
  ASSERT_EQ(corpora.size(), 10u);
  for (const auto& corpus : corpora) {
    const auto hypotheses = corpus["hypotheses"].get<Words>();
    const auto references = corpus["references"].get<Words>();
    const auto tokenizer = tokenizer_named(corpus["tokenize"].get<std::string>());
    ASSERT_TRUE(tokenizer);
    constexpr double kTwoDecimals = 0.005;
    const Bleu score = bleu(hypotheses, references, *tokenizer);
    const std::string what =
        corpus["language"].get<std::string>() + " " + corpus["tokenize"].get<std::string>();
    EXPECT_NEAR(score.score, corpus["bleu"].get<double>(), kTwoDecimals) << what;
    EXPECT_NEAR(score.brevity_penalty, corpus["brevity_penalty"].get<double>(), 1e-9) << what;
    for (size_t n = 0; n < 4; ++n) {
      EXPECT_NEAR(score.precisions[n], corpus["precisions"][n].get<double>(), 1e-9) << what;
    }
    EXPECT_NEAR(chrf(hypotheses, references, 0), corpus["chrf2"].get<double>(), kTwoDecimals);
    EXPECT_NEAR(chrf(hypotheses, references, 2), corpus["chrf2++"].get<double>(), kTwoDecimals);
  }
}

TEST(Quality, APerfectTranslationScores100AndAnUnrelatedOne0) {
  const Words same = {"The cat sat on the mat.", "It was late, very late."};
  EXPECT_DOUBLE_EQ(bleu(same, same, Tokenizer::v13a).score, 100);
  EXPECT_DOUBLE_EQ(chrf(same, same, 0), 100);
  EXPECT_DOUBLE_EQ(chrf(same, same, 2), 100);
  const Words other = {"xyz", "xyz"};
  EXPECT_EQ(bleu(other, same, Tokenizer::v13a).score, 0);
  EXPECT_EQ(chrf({"", ""}, same, 2), 0);
  EXPECT_EQ(bleu({"", ""}, same, Tokenizer::v13a).score, 0);
  EXPECT_EQ(bleu({}, {}, Tokenizer::zh).score, 0);
  EXPECT_EQ(chrf({}, {}, 0), 0);
}

// The rules of mteval-v13a: points and commas part from words but not within numbers, hyphens only
// after digits.
TEST(Quality, Tokenizer13aCutsAsMtevalDoes) {
  const auto cut = [](std::string_view text) { return tokenize(Tokenizer::v13a, text); };
  EXPECT_EQ(cut("Hello, world!"), (Words{"Hello", ",", "world", "!"}));
  EXPECT_EQ(cut("It's 3.50, or 1,000."), (Words{"It's", "3.50", ",", "or", "1,000", "."}));
  EXPECT_EQ(cut("well-known 5-day"), (Words{"well-known", "5", "-", "day"}));
  EXPECT_EQ(cut("a &amp; b &lt;c&gt; &quot;d&quot;"),
            (Words{"a", "&", "b", "<", "c", ">", "\"", "d", "\""}));
  EXPECT_EQ(cut("(x/y)  "), (Words{"(", "x", "/", "y", ")"}));
}

TEST(Quality, TokenizerZhCutsEveryChineseCharacter) {
  EXPECT_EQ(tokenize(Tokenizer::zh, " 我爱 NLP，very much。"),
            (Words{"我", "爱", "NLP", "，", "very", "much", "。"}));
}

TEST(Quality, TokenizerCharCutsEveryCharacter) {
  EXPECT_EQ(tokenize(Tokenizer::characters, "ねこ a。"), (Words{"ね", "こ", "a", "。"}));
}

TEST(Quality, TheTokenizerIsChosenByTheTargetLanguage) {
  for (const auto* code : {"zh", "zh-Hant", "yue"}) EXPECT_EQ(tokenizer_for(code), Tokenizer::zh);
  for (const auto* code : {"ja", "th", "km", "my", "bo"}) {
    EXPECT_EQ(tokenizer_for(code), Tokenizer::characters);
  }
  for (const auto* code : {"en", "de", "ko", "ar", "hi"}) {
    EXPECT_EQ(tokenizer_for(code), Tokenizer::v13a);
  }
}

}  // namespace
}  // namespace hymt::translate::quality
