#include "base/utf8.h"

#include <gtest/gtest.h>

namespace hymt::utf8 {
namespace {

TEST(Utf8, KnowsWellFormedText) {
  EXPECT_TRUE(valid("héllo 北京 😀"));
  EXPECT_TRUE(valid(""));
}

// Unicode 15, table 3-7 and the examples below it.
TEST(Utf8, RefusesIllFormedBytes) {
  EXPECT_EQ(find_invalid("ab\x80"), 2u);
  EXPECT_EQ(find_invalid("\xC0\xAF"), 0u);          // overlong
  EXPECT_EQ(find_invalid("\xE0\x9F\x80"), 0u);      // overlong
  EXPECT_EQ(find_invalid("\xED\xA0\x80"), 0u);      // surrogate
  EXPECT_EQ(find_invalid("\xF4\x90\x80\x80"), 0u);  // past U+10FFFF
  EXPECT_EQ(find_invalid("x\xE4\xBD"), 1u);         // cut
}

// The table of "U+FFFD substitution of maximal subparts" (Unicode 15, table 3-8).
TEST(Utf8, RepairsAsUnicodeRecommends) {
  EXPECT_EQ(repair("\x61\xF1\x80\x80\xE1\x80\xC2\x62\x80\x63\x80\xBF\x64"),
            "a\uFFFD\uFFFD\uFFFDb\uFFFDc\uFFFD\uFFFDd");
}

TEST(Utf8, HoldsBackOnlyTheStartOfACharacter) {
  const std::string text = "a😀";
  EXPECT_EQ(complete_prefix(text), 5u);
  for (size_t cut = 1; cut < 4; ++cut) EXPECT_EQ(complete_prefix(text.substr(0, 1 + cut)), 1u);
  EXPECT_EQ(complete_prefix("a\xFF"), 2u);      // never a character: nothing to wait for
  EXPECT_EQ(complete_prefix("a\xED\xA0"), 3u);  // a surrogate's start: the same
}

}  // namespace
}  // namespace hymt::utf8
