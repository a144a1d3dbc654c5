// UTF-8, as Unicode 15 table 3-7 defines it: no overlong forms, no surrogates, nothing past
// U+10FFFF. Pure functions.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace hymt::utf8 {

inline constexpr char32_t kReplacement = 0xFFFD;

// Decodes the character at text[at] and moves `at` past it. Ill-formed bytes give kReplacement
// and advance by the longest prefix of a character (at least one byte), as Unicode recommends.
char32_t next(std::string_view text, size_t& at);

// The offset of the first ill-formed byte, or npos.
size_t find_invalid(std::string_view text);
inline bool valid(std::string_view text) {
  return find_invalid(text) == std::string_view::npos;
}

// The length of the longest prefix that ends on a character border: what remains is the start of
// a character whose rest has not arrived yet (0 to 3 bytes). Ill-formed bytes are not held back.
size_t complete_prefix(std::string_view text);

void append(std::string& out, char32_t character);

// The text with every ill-formed sequence replaced by U+FFFD.
std::string repair(std::string_view text);

}  // namespace hymt::utf8
