// The pre-tokenizers against their published patterns, worked out by hand; the conformance tests
// run the same patterns in a regular-expression engine on much more text.
#include "tokenizer/words.h"

#include <gmock/gmock.h>

namespace hymt::tokenizer {
namespace {

using testing::ElementsAre;

auto hunyuan(std::string_view text) {
  return split_words(PreTokenizer::hunyuan, text);
}
auto dense(std::string_view text) {
  return split_words(PreTokenizer::hunyuan_dense, text);
}

TEST(HunyuanWords, LettersTakeTheBlankOrSignBeforeThem) {
  EXPECT_THAT(hunyuan("Hello world"), ElementsAre("Hello", " world"));
  EXPECT_THAT(hunyuan("a-b (c"), ElementsAre("a", "-b", " (", "c"));
  EXPECT_THAT(hunyuan("\tx"), ElementsAre("\tx"));
}

TEST(HunyuanWords, ContractionsAreWordsInAnyCase) {
  EXPECT_THAT(hunyuan("don't WE'LL I'm"), ElementsAre("don", "'t", " WE", "'LL", " I", "'m"));
  EXPECT_THAT(hunyuan("it'\u017f"), ElementsAre("it", "'\u017f")) << "the long s folds to s";
  EXPECT_THAT(hunyuan("'sea 'rx"), ElementsAre("'s", "ea", " '", "rx"));
}

TEST(HunyuanWords, DigitsStandAlone) {
  EXPECT_THAT(hunyuan("a12½Ⅷ"), ElementsAre("a", "1", "2", "½", "Ⅷ"));
  EXPECT_THAT(hunyuan(" 7"), ElementsAre(" ", "7"));
}

TEST(HunyuanWords, MarksAreNoLetters) {
  // NFC leaves a virama; \p{L}+ ends before it, and it opens the next letters.
  EXPECT_THAT(hunyuan("\u0915\u094d\u0937"), ElementsAre("\u0915", "\u094d\u0937"));
}

TEST(HunyuanWords, SignsTakeOneBlankBeforeAndLineEndsAfter) {
  EXPECT_THAT(hunyuan("a ...\n\nb"), ElementsAre("a", " ...\n\n", "b"));
  EXPECT_THAT(hunyuan("  !\r\n"), ElementsAre(" ", " !\r\n"));
}

TEST(HunyuanWords, RunsOfBlanks) {
  EXPECT_THAT(hunyuan("a   b"), ElementsAre("a", "  ", " b"));
  EXPECT_THAT(hunyuan("a \n \n  b"), ElementsAre("a", " \n \n", " ", " b"));
  EXPECT_THAT(hunyuan("a   "), ElementsAre("a", "   "));
  EXPECT_THAT(hunyuan("  1"), ElementsAre(" ", " ", "1"));
  EXPECT_THAT(hunyuan("\u3000\u3000中"), ElementsAre("\u3000", "\u3000中"));
  EXPECT_THAT(hunyuan("\u0085\u0085"), ElementsAre("\u0085\u0085")) << "NEL is a blank";
  EXPECT_THAT(hunyuan("a\u200bb"), ElementsAre("a", "\u200bb")) << "ZWSP is none";
}

TEST(HunyuanWords, SpecialTokensAreTextLikeAny) {
  EXPECT_THAT(hunyuan("a<|eos|>b"), ElementsAre("a", "<|", "eos", "|>", "b"));
}

TEST(DenseWords, NumbersGoInThrees) {
  EXPECT_THAT(dense("1234567"), ElementsAre("123", "456", "7"));
  EXPECT_THAT(dense("a1b"), ElementsAre("a", "1", "b"));
  EXPECT_THAT(dense(" 12"), ElementsAre(" ", "12"));
}

TEST(DenseWords, HanAndKanaStandApartFromOtherLetters) {
  EXPECT_THAT(dense("abc中文とカナdef"), ElementsAre("abc", "中文とカナ", "def"));
  EXPECT_THAT(dense(" 中文"), ElementsAre(" ", "中文")) << "the blank is left behind";
  EXPECT_THAT(dense("한국中"), ElementsAre("한국", "中"));
}

TEST(DenseWords, TheThirdSplitCutsThePiecesOfTheSecondToo) {
  EXPECT_THAT(dense("ア・イ"), ElementsAre("ア", "・", "イ"));
}

TEST(DenseWords, AnAsciiSignOpensAsciiLetters) {
  EXPECT_THAT(dense("$abc"), ElementsAre("$abc"));
  EXPECT_THAT(dense("~abc"), ElementsAre("~abc"));
  EXPECT_THAT(dense("$été"), ElementsAre("$", "été"));
  EXPECT_THAT(dense("don't"), ElementsAre("don", "'t"));
  EXPECT_THAT(dense("«a"), ElementsAre("«", "a"));
}

TEST(DenseWords, MarksGoWithLetters) {
  EXPECT_THAT(dense("\u0915\u094d\u0937 e\u0301"), ElementsAre("\u0915\u094d\u0937", " e\u0301"));
  EXPECT_THAT(dense("\u0301"), ElementsAre("\u0301"));
}

TEST(DenseWords, SignsTakeOneBlankBeforeAndLineEndsAfter) {
  EXPECT_THAT(dense("a ...\n\nb"), ElementsAre("a", " ...\n\n", "b"));
  EXPECT_THAT(dense("。\n“"), ElementsAre("。\n", "“"));
}

TEST(DenseWords, WhatNothingMatchesIsAWordAsWell) {
  EXPECT_THAT(dense("\x01\x02!"), ElementsAre("\x01\x02", "!"));
  EXPECT_THAT(dense("\x01\x02z"), ElementsAre("\x01", "\x02z"));
  EXPECT_THAT(dense("\x01\x02"), ElementsAre("\x01\x02"));
}

TEST(DenseWords, BlanksEndWhereAPieceEnds) {
  // The lookahead sees the end of the piece, not the digit after it.
  EXPECT_THAT(dense("a   1"), ElementsAre("a", "   ", "1"));
  EXPECT_THAT(dense("a   b"), ElementsAre("a", "  ", " b"));
  EXPECT_THAT(dense("  \n  中"), ElementsAre("  \n", "  ", "中"));
}

TEST(Words, JoinedAreTheText) {
  const std::string text =
      "  Ünïcode\r\n\t 12,345.67 \U0001F600\U0001F468\u200D\U0001F469 中文。'S \x01 e\u0301\u0301 "
      "~";
  for (const PreTokenizer pre : {PreTokenizer::hunyuan, PreTokenizer::hunyuan_dense}) {
    std::string joined;
    for (const auto word : split_words(pre, text)) {
      EXPECT_FALSE(word.empty());
      joined += word;
    }
    EXPECT_EQ(joined, text);
    EXPECT_TRUE(split_words(pre, "").empty());
  }
}

// Work on texts that make a backtracking engine quadratic.
TEST(Words, LooksGrowLinearly) {
  const std::vector<std::string> units = {" ",    "a", "\n ", " \n", "1",  "中", "!",  "\t\t",
                                          "\x01", "'", "'l",  " .",  "・", "é",  "$a", "\u0301"};
  for (const std::string& unit : units) {
    for (const auto words : {hunyuan_words, hunyuan_dense_words}) {
      const auto looks_at = [&](int repeats) {
        std::string text;
        for (int i = 0; i < repeats; ++i) text += unit;
        uint64_t looks = 0;
        words(characters_of(text), &looks);
        return looks;
      };
      const uint64_t small = looks_at(1000);
      EXPECT_GE(small, 1000u);
      EXPECT_LE(looks_at(4000), 8 * small) << "repeated: " << unit;
    }
  }
}

}  // namespace
}  // namespace hymt::tokenizer
