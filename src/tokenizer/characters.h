// What the pre-tokenizers' patterns ask of a character, as one set of bits.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace hymt::tokenizer {

enum Trait : uint16_t {
  kLetter = 1,         // \p{L}
  kNumber = 2,         // \p{N}
  kMark = 4,           // \p{M}
  kPunctuation = 8,    // \p{P}
  kSymbol = 16,        // \p{S}
  kSpace = 32,         // \s: the property White_Space
  kNewline = 64,       // [\r\n]
  kAsciiLetter = 128,  // [A-Za-z]
  kAsciiMark = 256,    // the 32 printable ASCII characters that are no letter, digit or space
  kHan = 512,          // [一-龥぀-ゟ゠-ヿ]: Han of Unicode 1.1, hiragana, katakana
};

struct Character {
  char32_t value;
  uint16_t traits;
  uint8_t bytes;  // of its UTF-8 form

  bool is(uint16_t any) const { return (traits & any) != 0; }
};

uint16_t traits_of(char32_t character);

// The characters of valid UTF-8.
std::vector<Character> characters_of(std::string_view text);

}  // namespace hymt::tokenizer
