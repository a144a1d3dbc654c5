#include "tokenizer/byte_tokens.h"
#include "tokenizer/merger.h"
#include "tokenizer/vocabulary.h"

namespace hymt::tokenizer {

Result<std::vector<std::pair<Token, Token>>> merges_of_ranks(const Vocabulary& vocabulary) {
  const TokenIndex index = index_tokens(vocabulary);
  const MergeTable table = HYMT_TRY(MergeTable::build(vocabulary, index));
  const auto bytes = HYMT_TRY(find_byte_tokens(vocabulary, index));
  std::vector<std::pair<Token, Token>> merges;
  Merger merger(table, bytes);
  std::vector<Token> parts;
  for (size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    if (vocabulary.kinds[id] != TokenKind::normal || vocabulary.tokens[id].size() < 2) continue;
    // What the token's bytes are just before the merge that makes it: its two halves.
    parts.clear();
    merger.merge(vocabulary.tokens[id], parts, static_cast<uint32_t>(id));
    if (parts.size() == 2) merges.emplace_back(parts[0], parts[1]);
  }
  return merges;
}

}  // namespace hymt::tokenizer
