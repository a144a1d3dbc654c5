// The moves that both pre-tokenizers are written in.
#pragma once

#include <cstdint>
#include <span>

#include "tokenizer/characters.h"

namespace hymt::tokenizer {

// Looks at characters of a text and counts the looks. Positions at or past the end have no trait.
class Scanner {
 public:
  explicit Scanner(std::span<const Character> text) : text_(text) {}

  size_t size() const { return text_.size(); }
  uint64_t looks() const { return looks_; }

  bool is(size_t at, uint16_t any_trait) {
    ++looks_;
    return at < text_.size() && text_[at].is(any_trait);
  }
  // A character that has none of the traits; false at the end.
  bool is_not(size_t at, uint16_t traits) {
    ++looks_;
    return at < text_.size() && !text_[at].is(traits);
  }
  char32_t value(size_t at) {
    ++looks_;
    return at < text_.size() ? text_[at].value : char32_t{0};
  }

  // The end of the run of such characters that starts at `at`.
  size_t run(size_t at, uint16_t any_trait) {
    while (is(at, any_trait)) ++at;
    return at;
  }
  size_t run_not(size_t at, uint16_t traits) {
    while (is_not(at, traits)) ++at;
    return at;
  }

  // The end of what `\s*[\r\n]+|\s+(?!\S)|\s+` matches at `at`, which is a blank: up to the last
  // line end of the run of blanks, else all of the run but its last blank where a word follows.
  // (That last one then opens the word.)
  size_t blanks(size_t at) {
    size_t end = at;
    size_t after_newline = at;
    for (; is(end, kSpace); ++end) {
      if (text_[end].is(kNewline)) after_newline = end + 1;
    }
    if (after_newline > at) return after_newline;
    return end < text_.size() && end - at > 1 ? end - 1 : end;
  }

 private:
  std::span<const Character> text_;
  uint64_t looks_ = 0;
};

}  // namespace hymt::tokenizer
