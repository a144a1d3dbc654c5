// The pre-tokenizers: cut a text into the words that BPE then works on one by one.
//
// The published definitions are regular expressions. Here each is a scanner of its own, because a
// backtracking engine is quadratic on long runs of blanks and overflows its stack on long words.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "tokenizer/characters.h"
#include "tokenizer/vocabulary.h"

namespace hymt::tokenizer {

// The words of valid UTF-8, in order and without gaps: joined they are the text. Normalisation
// comes before (normalize.h).
std::vector<std::string_view> split_words(PreTokenizer pre, std::string_view text);

// The same on characters: the number of characters of each word. `looks` counts the characters
// looked at, which grows linearly with the text.
std::vector<size_t> hunyuan_words(std::span<const Character> text, uint64_t* looks = nullptr);
std::vector<size_t> hunyuan_dense_words(std::span<const Character> text, uint64_t* looks = nullptr);

}  // namespace hymt::tokenizer
