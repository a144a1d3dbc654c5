#include "base/utf8.h"
#include "tokenizer/tokenizer.h"

namespace hymt::tokenizer {

std::string Detokenizer::push(Token token) {
  held_ += tokenizer_.bytes(token);
  const size_t whole = utf8::complete_prefix(held_);
  std::string piece = utf8::repair(std::string_view(held_).substr(0, whole));
  held_.erase(0, whole);
  return piece;
}

std::string Detokenizer::finish() {
  std::string piece = utf8::repair(held_);
  held_.clear();
  return piece;
}

}  // namespace hymt::tokenizer
