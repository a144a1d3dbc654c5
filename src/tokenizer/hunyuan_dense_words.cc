// The 1.8B family's three splits, each working inside the pieces that the one before it left
// (source: the publisher's tokenizer.json). What a split does not match is a piece as well.
//
//   1. \p{N}{1,3}
//   2. [一-龥぀-ゟ゠-ヿ]+
//   3. [!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|
//      ` ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
//
// One walk finds the pieces of the first two splits. Each piece is then scanned as a text of its
// own: no match of the third reaches over its borders, and `(?!\S)` holds at its end. Numbers go
// through whole; the second's pieces need not, as U+30FB and its like are punctuation.
#include "tokenizer/scanner.h"
#include "tokenizer/words.h"

namespace hymt::tokenizer {
namespace {

constexpr size_t kMaxDigits = 3;

// The end of the third split's match at `at`, or `at` where it matches nothing.
size_t match_end(Scanner& text, size_t at) {
  // The class of the first alternative is exactly the ASCII characters that are P or S.
  if (text.is(at, kAsciiMark) && text.is(at + 1, kAsciiLetter)) {
    return text.run(at + 1, kAsciiLetter);
  }
  // [^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+. The optional character may be a mark: then the run
  // is the same whether it is taken as that or as the run's first.
  const bool opens = text.is_not(at, kNewline | kLetter | kPunctuation | kSymbol);
  if (text.is(opens ? at + 1 : at, kLetter | kMark)) return text.run(at + 1, kLetter | kMark);
  if (text.is(at, kMark)) return at + 1;

  // ` ?[\p{P}\p{S}]+[\r\n]*`
  const size_t signs = text.value(at) == ' ' ? at + 1 : at;
  if (text.is(signs, kPunctuation | kSymbol)) {
    return text.run(text.run(signs, kPunctuation | kSymbol), kNewline);
  }
  return text.is(at, kSpace) ? text.blanks(at) : at;
}

void third_split(std::span<const Character> piece, std::vector<size_t>& words, uint64_t& looks) {
  Scanner text(piece);
  size_t unmatched = 0;  // where the stretch that nothing matches began
  for (size_t at = 0; at < text.size();) {
    const size_t end = match_end(text, at);
    if (end == at) {
      ++at;
      continue;
    }
    if (unmatched < at) words.push_back(at - unmatched);
    words.push_back(end - at);
    unmatched = at = end;
  }
  if (unmatched < text.size()) words.push_back(text.size() - unmatched);
  looks += text.looks();
}

}  // namespace

std::vector<size_t> hunyuan_dense_words(std::span<const Character> characters, uint64_t* looks) {
  Scanner text(characters);
  std::vector<size_t> words;
  uint64_t inner = 0;
  for (size_t at = 0; at < text.size();) {
    if (text.is(at, kNumber)) {
      size_t end = at + 1;
      while (end < at + kMaxDigits && text.is(end, kNumber)) ++end;
      words.push_back(end - at);
      at = end;
    } else {
      const size_t end = text.is(at, kHan) ? text.run(at, kHan) : text.run_not(at, kNumber | kHan);
      third_split(characters.subspan(at, end - at), words, inner);
      at = end;
    }
  }
  if (looks) *looks += text.looks() + inner;
  return words;
}

}  // namespace hymt::tokenizer
