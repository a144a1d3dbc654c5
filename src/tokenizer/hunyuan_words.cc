// The 7B family's pattern (source: the publisher's tokenizer):
//
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|
//   \s*[\r\n]+|\s+(?!\S)|\s+
//
// Every character begins one of the alternatives, so the words leave no gap.
#include "tokenizer/scanner.h"
#include "tokenizer/words.h"

namespace hymt::tokenizer {
namespace {

// Case-insensitive as Unicode folds: U+017F, the long s, is an s too.
char32_t fold(char32_t c) {
  if (c >= 'A' && c <= 'Z') return c + ('a' - 'A');
  return c == 0x17F ? char32_t{'s'} : c;
}

// The end of a contraction that starts at `at`, or `at`.
size_t contraction(Scanner& text, size_t at) {
  if (text.value(at) != '\'') return at;
  const char32_t first = fold(text.value(at + 1));
  if (first == 's' || first == 't' || first == 'm' || first == 'd') return at + 2;
  const char32_t second = fold(text.value(at + 2));
  const bool two = (first == 'r' && second == 'e') || (first == 'v' && second == 'e') ||
                   (first == 'l' && second == 'l');
  return two ? at + 3 : at;
}

size_t word_end(Scanner& text, size_t at) {
  if (const size_t end = contraction(text, at); end > at) return end;

  // [^\r\n\p{L}\p{N}]?\p{L}+
  const size_t letters = text.is_not(at, kNewline | kLetter | kNumber) ? at + 1 : at;
  if (text.is(letters, kLetter)) return text.run(letters, kLetter);

  if (text.is(at, kNumber)) return at + 1;

  // ` ?[^\s\p{L}\p{N}]+[\r\n]*`
  const size_t signs = text.value(at) == ' ' ? at + 1 : at;
  if (text.is_not(signs, kSpace | kLetter | kNumber)) {
    return text.run(text.run_not(signs, kSpace | kLetter | kNumber), kNewline);
  }
  return text.blanks(at);
}

}  // namespace

std::vector<size_t> hunyuan_words(std::span<const Character> characters, uint64_t* looks) {
  Scanner text(characters);
  std::vector<size_t> words;
  for (size_t at = 0; at < text.size();) {
    const size_t end = word_end(text, at);
    words.push_back(end - at);
    at = end;
  }
  if (looks) *looks += text.looks();
  return words;
}

}  // namespace hymt::tokenizer
