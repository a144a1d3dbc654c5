// GPT-2's byte-level alphabet. The 188 printable bytes of Latin-1 stand for themselves; the other
// 68 are numbered upward from U+0100, in order of their value.
#include <array>

#include "base/quote.h"
#include "base/utf8.h"
#include "tokenizer/vocabulary.h"

namespace hymt::tokenizer {
namespace {

constexpr char32_t kFirstMoved = 0x100;
constexpr int kMoved = 68;

constexpr bool printable(int byte) {
  return (byte >= 0x21 && byte <= 0x7E) || (byte >= 0xA1 && byte <= 0xAC) || byte >= 0xAE;
}

struct Alphabet {
  std::array<char32_t, 256> character{};
  std::array<uint8_t, kFirstMoved + kMoved> byte{};
  std::array<bool, kFirstMoved + kMoved> known{};
};

constexpr Alphabet make_alphabet() {
  Alphabet alphabet;
  char32_t moved = kFirstMoved;
  for (int byte = 0; byte < 256; ++byte) {
    const char32_t character = printable(byte) ? static_cast<char32_t>(byte) : moved++;
    alphabet.character[static_cast<size_t>(byte)] = character;
    alphabet.byte[character] = static_cast<uint8_t>(byte);
    alphabet.known[character] = true;
  }
  return alphabet;
}

constexpr Alphabet kAlphabet = make_alphabet();

}  // namespace

std::string to_byte_level(std::string_view bytes) {
  std::string out;
  out.reserve(bytes.size() * 2);
  for (const char byte : bytes) utf8::append(out, kAlphabet.character[static_cast<uint8_t>(byte)]);
  return out;
}

Result<std::string> from_byte_level(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const char32_t character = utf8::next(text, at);
    if (character >= kAlphabet.known.size() || !kAlphabet.known[character]) {
      return fail(Code::invalid_argument, in_quotes(text) + " is not in the byte-level alphabet");
    }
    out += static_cast<char>(kAlphabet.byte[character]);
  }
  return out;
}

}  // namespace hymt::tokenizer
