#include "tokenizer/words.h"

namespace hymt::tokenizer {

std::vector<std::string_view> split_words(PreTokenizer pre, std::string_view text) {
  const std::vector<Character> characters = characters_of(text);
  const std::vector<size_t> lengths =
      pre == PreTokenizer::hunyuan ? hunyuan_words(characters) : hunyuan_dense_words(characters);
  std::vector<std::string_view> words;
  words.reserve(lengths.size());
  size_t character = 0;
  size_t begin = 0;
  for (const size_t length : lengths) {
    size_t bytes = 0;
    for (size_t i = 0; i < length; ++i) bytes += characters[character++].bytes;
    words.push_back(text.substr(begin, bytes));
    begin += bytes;
  }
  return words;
}

}  // namespace hymt::tokenizer
