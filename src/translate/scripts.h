// How much of a text is written in which script.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hymt::translate {

// The scripts of the languages we know; `other` is any other.
enum class Script : uint8_t {
  latin,
  cyrillic,
  arabic,
  han,
  hiragana,
  katakana,
  hangul,
  devanagari,
  bengali,
  gujarati,
  tamil,
  telugu,
  thai,
  khmer,
  myanmar,
  tibetan,
  hebrew,
  mongolian,
  other,
};
inline constexpr size_t kScripts = 19;

// Letters and the marks that belong to one script only; nothing for digits, punctuation, emoji.
struct ScriptCounts {
  std::array<int, kScripts> letters{};

  int operator[](Script script) const { return letters[static_cast<size_t>(script)]; }
  int total() const;
};

ScriptCounts count_scripts(std::string_view text);

}  // namespace hymt::translate
