// Expected forms: GPT-2's published encoder (bytes_to_unicode).
#include <gmock/gmock.h>

#include "tokenizer/vocabulary.h"

namespace hymt::tokenizer {
namespace {

TEST(ByteLevel, PrintableAsciiStandsForItself) {
  EXPECT_EQ(to_byte_level("Hello!~"), "Hello!~");
}

TEST(ByteLevel, BlanksAndControlsMoveUp) {
  EXPECT_EQ(to_byte_level(" \n\t"), "\u0120\u010a\u0109");
  EXPECT_EQ(to_byte_level(std::string_view("\0\x7F\xAD", 3)), "\u0100\u0121\u0143");
}

TEST(ByteLevel, WritesTheBytesOfACharacterOneByOne) {
  EXPECT_EQ(to_byte_level("中"), "\u00e4\u00b8\u0143");  // E4 B8 AD
}

TEST(ByteLevel, EveryByteComesBack) {
  std::string all;
  for (int byte = 0; byte < 256; ++byte) all += static_cast<char>(byte);
  const auto back = from_byte_level(to_byte_level(all));
  ASSERT_TRUE(back);
  EXPECT_EQ(*back, all);
}

TEST(ByteLevel, RefusesWhatIsNotInTheAlphabet) {
  for (const char* text : {" ", "a b", "中", "\u0144", "\xFF", "\n"}) {
    const auto bytes = from_byte_level(text);
    ASSERT_FALSE(bytes) << text;
    EXPECT_EQ(bytes.error().code, Code::invalid_argument);
  }
}

}  // namespace
}  // namespace hymt::tokenizer
