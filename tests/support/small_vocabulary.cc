#include "support/small_vocabulary.h"

#include <algorithm>

namespace hymt::test {

using tokenizer::Token;
using tokenizer::TokenKind;
using tokenizer::Vocabulary;

Vocabulary small_vocabulary(const std::vector<std::pair<std::string, std::string>>& merges,
                            const std::vector<std::string>& controls, tokenizer::PreTokenizer pre) {
  Vocabulary vocabulary;
  vocabulary.source = "small";
  vocabulary.pre = pre;
  auto& tokens = vocabulary.tokens;
  for (int byte = 0; byte < 256; ++byte) tokens.emplace_back(1, static_cast<char>(byte));
  const auto id = [&](const std::string& bytes) {
    const auto at = std::find(tokens.begin(), tokens.end(), bytes);
    return at == tokens.end() ? Token{-1} : static_cast<Token>(at - tokens.begin());
  };
  for (const auto& [left, right] : merges) {
    vocabulary.merges.emplace_back(id(left), id(right));
    tokens.push_back(left + right);
  }
  vocabulary.kinds.assign(tokens.size(), TokenKind::normal);
  for (const std::string& control : controls) {
    tokens.push_back(control);
    vocabulary.kinds.push_back(TokenKind::control);
  }
  return vocabulary;
}

}  // namespace hymt::test
