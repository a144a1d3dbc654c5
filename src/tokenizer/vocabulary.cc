#include "tokenizer/vocabulary.h"

namespace hymt::tokenizer {

std::string_view name(PreTokenizer pre) {
  return pre == PreTokenizer::hunyuan ? "hunyuan" : "hunyuan-dense";
}

bool looks_special(std::string_view text) {
  return (text.starts_with("<|") && text.ends_with("|>") && text.size() > 4) ||
         (text.starts_with("<｜") && text.ends_with("｜>") && text.size() > 8);
}

Token Vocabulary::find_special(std::string_view text) const {
  for (size_t id = 0; id < tokens.size(); ++id) {
    const bool special = kinds[id] == TokenKind::control || kinds[id] == TokenKind::user_defined;
    if (special && tokens[id] == text) return static_cast<Token>(id);
  }
  return -1;
}

}  // namespace hymt::tokenizer
