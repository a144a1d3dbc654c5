// Expected forms: Unicode's NormalizationTest and the Normalization Forms annex (UAX 15).
#include "tokenizer/normalize.h"

#include <gmock/gmock.h>
#include <unicode/uchar.h>

#include "base/utf8.h"

namespace hymt::tokenizer {
namespace {

TEST(Nfc, Composes) {
  EXPECT_EQ(to_nfc("e\u0301"), "\u00e9");
  EXPECT_EQ(to_nfc("\u1100\u1161\u11a8"), "\uac01");
  EXPECT_EQ(to_nfc("\u212b"), "\u00c5") << "a singleton";
  EXPECT_EQ(to_nfc("\u0958"), "\u0915\u093c") << "excluded from composition";
}

TEST(Nfc, OrdersMarks) {
  EXPECT_EQ(to_nfc("\u1e0a\u0323"), "\u1e0c\u0307");
  EXPECT_EQ(to_nfc("a\u0301\u0316"), "\u00e1\u0316");
}

TEST(Nfc, LeavesTheRestAlone) {
  for (const std::string text : {"", "plain", "中文\r\n", "\U0001F600", "ﬁ ①", "ệ"}) {
    EXPECT_EQ(to_nfc(text), text);
  }
}

std::string repeat(std::string_view unit, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += unit;
  return text;
}

TEST(LongMarkRuns, ShortOnesStayAsTheyAre) {
  const std::string text = "x" + repeat("\u0301\u0316", 8) + "y\u0f73";
  EXPECT_EQ(order_long_mark_runs(text), text);
}

// What makes normalising linear: nothing is left for ICU to move.
TEST(LongMarkRuns, LongOnesComeOutInCanonicalOrder) {
  for (const std::string unit : {"\u0301\u0316", "\u0344\u0323", "\u0f73", "\u0f71\u0f73\u0301"}) {
    const std::string ordered = order_long_mark_runs("a" + repeat(unit, 500) + "b");
    uint8_t previous = 0;
    for (size_t at = 0; at < ordered.size();) {
      const uint8_t klass = u_getCombiningClass(static_cast<UChar32>(utf8::next(ordered, at)));
      EXPECT_TRUE(klass == 0 || previous <= klass);
      previous = klass;
    }
  }
}

TEST(LongMarkRuns, NormaliseAsTheyDoWithout) {
  // In two classes, in order of appearance within each: 40 of 220 and 40 of 230; the first 230
  // composes with the letter.
  EXPECT_EQ(to_nfc("a" + repeat("\u0301\u0316", 40)),
            "\u00e1" + repeat("\u0316", 40) + repeat("\u0301", 39));
  EXPECT_EQ(to_nfc(repeat("\u0316\u0323", 40) + "z"), repeat("\u0316\u0323", 40) + "z")
      << "one class keeps its order";
}

}  // namespace
}  // namespace hymt::tokenizer
