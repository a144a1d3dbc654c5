#include "translate/paragraphs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "base/utf8.h"

namespace hymt::translate {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> cut(std::string_view text) {
  std::vector<std::string> out;
  for (const auto& range : paragraphs(text)) out.emplace_back(range.of(text));
  return out;
}

std::string translated(std::string_view text, std::string_view answer) {
  const auto ranges = paragraphs(text);
  return put_back(text, ranges, std::vector<std::string>(ranges.size(), std::string(answer)));
}

TEST(Paragraphs, MarginsBlankLinesAndLineBreaksStayOutside) {
  EXPECT_THAT(cut("  a\r\n\r\nb \n"), ElementsAre("a", "b"));
  EXPECT_EQ(translated("  a\r\n\r\nb \n", "X"), "  X\r\n\r\nX \n");
  EXPECT_THAT(cut("one\ntwo\rthree\r\nfour\xE2\x80\xA8"
                  "five\xE2\x80\xA9six\xC2\x85seven"),
              ElementsAre("one", "two", "three", "four", "five", "six", "seven"));
}

TEST(Paragraphs, MarginsAreWhateverLooksBlank) {
  // Ideographic space, no-break space, tab, byte order mark, zero-width space.
  EXPECT_THAT(cut("\xEF\xBB\xBF\xE3\x80\x80你好\xE3\x80\x80\n\xC2\xA0\ta b\xE2\x80\x8B"),
              ElementsAre("你好", "a b"));
}

TEST(Paragraphs, BlankTextHasNone) {
  for (const std::string_view text : {"", " ", "\n", "\xE3\x80\x80", "\r\n \t\r\n"}) {
    EXPECT_THAT(cut(text), IsEmpty());
    EXPECT_EQ(translated(text, "X"), text);
  }
}

TEST(Paragraphs, LinesWithoutALetterAreNotTranslated) {
  for (const std::string_view text :
       {"12345", "😀", "* * *", "12:30", "---", "……", "。", "€ 5.00"}) {
    EXPECT_THAT(cut(text), IsEmpty()) << text;
  }
  EXPECT_EQ(translated("1.\nHello!\n=====\n", "X"), "1.\nX\n=====\n");
  EXPECT_THAT(cut("5 km"), ElementsAre("5 km"));
  EXPECT_THAT(cut("第3"), ElementsAre("第3"));
}

// Any text, translated by somebody who changes nothing, comes back byte for byte.
TEST(Paragraphs, AnyTextComesBackByteForByte) {
  std::mt19937 random(1);
  const char32_t kAlphabet[] = {U'a',   U'Z',   U' ',   U'\n',  U'\r',   U'\t',
                                U'.',   U'1',   0x85,   0xA0,   0x2028,  0x2029,
                                0x3000, 0xFEFF, 0x200B, 0x4E00, 0x1F600, 0x0301};
  for (int round = 0; round < 2000; ++round) {
    std::string text;
    const size_t n = random() % 40;
    for (size_t i = 0; i < n; ++i) utf8::append(text, kAlphabet[random() % std::size(kAlphabet)]);
    const auto ranges = paragraphs(text);
    std::vector<std::string> same;
    size_t at = 0;
    for (const auto& range : ranges) {
      EXPECT_GE(range.begin, at);
      EXPECT_LT(range.begin, range.end);
      at = range.end;
      same.emplace_back(range.of(text));
      EXPECT_TRUE(utf8::valid(same.back()));
    }
    EXPECT_EQ(put_back(text, ranges, same), text);
  }
}

}  // namespace
}  // namespace hymt::translate
