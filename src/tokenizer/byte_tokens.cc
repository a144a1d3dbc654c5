#include "tokenizer/byte_tokens.h"

namespace hymt::tokenizer {
namespace {

bool occurs_in_utf8(int byte) {
  return byte != 0xC0 && byte != 0xC1 && byte < 0xF5;
}

}  // namespace

Result<std::array<Token, 256>> find_byte_tokens(const Vocabulary& vocabulary,
                                                const TokenIndex& index) {
  std::array<Token, 256> tokens;
  for (int byte = 0; byte < 256; ++byte) {
    const char one = static_cast<char>(byte);
    const auto at = index.find(std::string_view(&one, 1));
    tokens[static_cast<size_t>(byte)] = at == index.end() ? -1 : at->second;
    if (at == index.end() && occurs_in_utf8(byte)) {
      return fail(Code::invalid_argument,
                  vocabulary.source + ": the vocabulary has no token for the byte " +
                      std::to_string(byte) + ": it is not a byte-level one",
                  "tokens");
    }
  }
  return tokens;
}

}  // namespace hymt::tokenizer
