// How sacreBLEU cuts sentences for BLEU: its tokenizers 13a, zh and char, to the letter.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace hymt::translate::quality {

enum class Tokenizer { v13a, zh, characters };
std::string_view name(Tokenizer tokenizer);  // "13a", "zh", "char", as sacreBLEU calls them
std::optional<Tokenizer> tokenizer_named(std::string_view name);

// What is usual for a target language: zh for the Chinese languages, char for those that write no
// spaces between words (ja, th, km, my, bo), 13a for the others.
Tokenizer tokenizer_for(std::string_view language);

// White space at the end of the sentence is dropped first.
std::vector<std::string> tokenize(Tokenizer tokenizer, std::string_view sentence);

// The words of a sentence as Python's str.split() finds them.
std::vector<std::string> split(std::string_view sentence);

// A sentence as code points. Ill-formed bytes count as U+FFFD.
std::u32string decode(std::string_view sentence);
std::string encode(std::u32string_view characters);

}  // namespace hymt::translate::quality
