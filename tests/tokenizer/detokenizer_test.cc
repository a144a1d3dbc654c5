#include <gmock/gmock.h>

#include "base/utf8.h"
#include "support/small_vocabulary.h"
#include "tokenizer/tokenizer.h"

namespace hymt::tokenizer {
namespace {

std::unique_ptr<const Tokenizer> byte_tokenizer() {
  return *Tokenizer::make(test::small_vocabulary({{"\xE4", "\xB8"}}, {"<|eos|>"}));
}

struct Stream {
  std::string joined;
  std::vector<std::string> pieces;
};

Stream stream(const Tokenizer& tokenizer, const std::vector<Token>& tokens) {
  Detokenizer detokenizer(tokenizer);
  Stream out;
  for (const Token token : tokens) {
    out.pieces.push_back(detokenizer.push(token));
    EXPECT_TRUE(utf8::valid(out.pieces.back()));
    out.joined += out.pieces.back();
  }
  out.pieces.push_back(detokenizer.finish());
  out.joined += out.pieces.back();
  return out;
}

std::vector<Token> bytes_of(std::string_view text) {
  std::vector<Token> tokens;
  for (const char byte : text) tokens.push_back(static_cast<uint8_t>(byte));
  return tokens;
}

TEST(Detokenizer, HoldsACharacterBackUntilItIsWhole) {
  const auto tokenizer = byte_tokenizer();
  const Stream emoji = stream(*tokenizer, bytes_of("\U0001F600!"));
  EXPECT_THAT(emoji.pieces, testing::ElementsAre("", "", "", "\U0001F600", "!", ""));
  const Stream north = stream(*tokenizer, bytes_of("北"));
  EXPECT_THAT(north.pieces, testing::ElementsAre("", "", "北", ""));
}

TEST(Detokenizer, TakesTokensThatEndInsideACharacter) {
  const auto tokenizer = byte_tokenizer();
  EXPECT_THAT(stream(*tokenizer, {'a', 256, 0xAD}).pieces,
              testing::ElementsAre("a", "", "\u4e2d", ""));
}

TEST(Detokenizer, IllFormedBytesComeOutOnce) {
  const auto tokenizer = byte_tokenizer();
  EXPECT_EQ(stream(*tokenizer, bytes_of("a\xFFz")).joined, "a\uFFFDz");
  EXPECT_EQ(stream(*tokenizer, bytes_of("\xE4\xB8z")).joined, "\uFFFDz");
  EXPECT_THAT(stream(*tokenizer, bytes_of("ok\xF0\x9F")).pieces,
              testing::ElementsAre("o", "k", "", "", "\uFFFD"));
}

TEST(Detokenizer, ControlTokensSayNothing) {
  const auto tokenizer = byte_tokenizer();
  EXPECT_THAT(stream(*tokenizer, {257, 'a', 257, -1, 258, 99999}).joined, "a");
  EXPECT_EQ(stream(*tokenizer, {0xE4, 257, 0xB8, 0xAD}).joined, "\u4e2d")
      << "not even inside a character";
}

TEST(Detokenizer, PiecesJoinedAreTheDecodedWhole) {
  const auto tokenizer = byte_tokenizer();
  uint32_t state = 1;
  for (int i = 0; i < 2000; ++i) {
    std::vector<Token> tokens;
    for (int n = 0; n < 12; ++n) {
      state = state * 1664525 + 1013904223;
      // Mostly bytes of characters of several bytes, well-formed and not.
      const uint32_t kind = state >> 28;
      const uint32_t byte = (state >> 16) & 0xFF;
      tokens.push_back(static_cast<Token>(kind < 6    ? 0x80 | (byte & 0x3F)
                                          : kind < 14 ? byte
                                                      : 256));
    }
    ASSERT_EQ(stream(*tokenizer, tokens).joined, tokenizer->decode(tokens));
  }
}

}  // namespace
}  // namespace hymt::tokenizer
