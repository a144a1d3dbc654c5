#include "tokenizer/characters.h"

#include <unicode/uchar.h>

#include "base/utf8.h"

namespace hymt::tokenizer {
namespace {

uint16_t category(char32_t c) {
  const uint32_t mask = U_GET_GC_MASK(static_cast<UChar32>(c));
  if (mask & U_GC_L_MASK) return kLetter;
  if (mask & U_GC_N_MASK) return kNumber;
  if (mask & U_GC_M_MASK) return kMark;
  if (mask & U_GC_P_MASK) return kPunctuation;
  if (mask & U_GC_S_MASK) return kSymbol;
  return 0;
}

}  // namespace

uint16_t traits_of(char32_t c) {
  uint16_t traits = category(c);
  if (u_isUWhiteSpace(static_cast<UChar32>(c))) traits |= kSpace;
  if (c == '\r' || c == '\n') traits |= kNewline;
  if (c < 0x80) {
    if (traits & kLetter) traits |= kAsciiLetter;
    if (traits & (kPunctuation | kSymbol)) traits |= kAsciiMark;
  }
  if ((c >= 0x4E00 && c <= 0x9FA5) || (c >= 0x3040 && c <= 0x30FF)) traits |= kHan;
  return traits;
}

std::vector<Character> characters_of(std::string_view text) {
  std::vector<Character> characters;
  characters.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const char32_t c = utf8::next(text, at);
    characters.push_back({c, traits_of(c), static_cast<uint8_t>(at - start)});
  }
  return characters;
}

}  // namespace hymt::tokenizer
