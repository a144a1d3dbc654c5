#include <gmock/gmock.h>

#include "tokenizer/vocabulary.h"

namespace hymt::tokenizer {
namespace {

using testing::HasSubstr;

TEST(Tiktoken, ReadsRanksAndPutsTheSpecialTokensBehindThem) {
  const auto vocabulary = read_tiktoken("YQ== 0\nYWI= 1\r\nYWJj 2\n\n+/8= 3", "x.tiktoken");
  ASSERT_TRUE(vocabulary) << vocabulary.error().message;
  EXPECT_EQ(vocabulary->tokens[0], "a");
  EXPECT_EQ(vocabulary->tokens[1], "ab");
  EXPECT_EQ(vocabulary->tokens[2], "abc");
  EXPECT_EQ(vocabulary->tokens[3], "\xFB\xFF");
  EXPECT_EQ(vocabulary->tokens.size(), 4u + 5 + 205);
  EXPECT_EQ(vocabulary->find_special("<|endoftext|>"), 4);
  EXPECT_EQ(vocabulary->find_special("<|extra_5|>"), 14);
  EXPECT_TRUE(vocabulary->merges.empty());
}

TEST(Tiktoken, RefusesOtherLinesByNumber) {
  for (const char* text :
       {"YQ== 0\nYg==", "YQ== 0\n 1", "YQ== 0\nY 1", "YQ== 0\nY*== 1", "YQ== 0\n==== 1",
        "YQ== 0\nYg== x", "YQ== 0\nYg== 1 2", "YQ== 0\nYg== 2", "YQ== 0\nYg== 0", "YQ== 0\nYg== -1",
        "YQ== 0\nYg== 99999999999999999999", "YQ== 0\n\xFF\xFE", "YQ== 0\nA=== 1"}) {
    const auto vocabulary = read_tiktoken(text, "x.tiktoken");
    ASSERT_FALSE(vocabulary) << text;
    EXPECT_EQ(vocabulary.error().code, Code::invalid_argument);
    EXPECT_THAT(vocabulary.error().message, HasSubstr("x.tiktoken, line 2: ")) << text;
  }
}

TEST(Tiktoken, RefusesAnEmptyFile) {
  EXPECT_FALSE(read_tiktoken("", "x.tiktoken"));
  EXPECT_FALSE(read_tiktoken("\n\n", "x.tiktoken"));
}

}  // namespace
}  // namespace hymt::tokenizer
