// What the Compact Language Detector 2 thinks of a text.
#pragma once

#include <array>
#include <string_view>

namespace hymt::translate {

struct Guess {
  std::string_view code;  // ours ("tl", "he"); CLD2's own for a language that is not ours
  int percent = 0;        // of the text's letters
};

struct Guesses {
  std::array<Guess, 3> best;  // most of the text first; empty codes behind the last
  bool reliable = false;
};

// `text` must be valid UTF-8; texts of a word or two are answered too, but are never reliable.
Guesses guess_languages(std::string_view text);

}  // namespace hymt::translate
