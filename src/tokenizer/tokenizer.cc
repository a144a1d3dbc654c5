#include "tokenizer/tokenizer.h"

#include <array>

#include "base/utf8.h"
#include "tokenizer/byte_tokens.h"
#include "tokenizer/merge_table.h"
#include "tokenizer/merger.h"
#include "tokenizer/normalize.h"
#include "tokenizer/words.h"

namespace hymt::tokenizer {
struct Tokenizer::Impl {
  Vocabulary vocabulary;
  TokenIndex index;
  MergeTable merges;
  std::array<Token, 256> byte_tokens;
  bool whole_words;
};

Tokenizer::Tokenizer(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Tokenizer::~Tokenizer() = default;

Result<std::unique_ptr<const Tokenizer>> Tokenizer::make(Vocabulary vocabulary) {
  if (vocabulary.tokens.size() != vocabulary.kinds.size() ||
      vocabulary.tokens.size() > kMaxTokens) {
    return fail(Code::invalid_argument,
                vocabulary.source + ": a vocabulary of " +
                    std::to_string(vocabulary.tokens.size()) + " tokens and " +
                    std::to_string(vocabulary.kinds.size()) + " token types");
  }
  TokenIndex index = index_tokens(vocabulary);
  MergeTable merges = HYMT_TRY(MergeTable::build(vocabulary, index));
  const auto byte_tokens = HYMT_TRY(find_byte_tokens(vocabulary, index));
  const bool whole_words = vocabulary.whole_words || vocabulary.merges.empty();
  // Moving a vector of strings leaves the strings, and so the index's keys, where they are.
  return std::unique_ptr<const Tokenizer>(new Tokenizer(std::make_unique<Impl>(
      Impl{std::move(vocabulary), std::move(index), std::move(merges), byte_tokens, whole_words})));
}

std::vector<Token> Tokenizer::encode(std::string_view text) const {
  // Callers promise valid text. Where one does not keep it, an odd token is better than none.
  std::string held;
  if (!utf8::valid(text)) text = held = utf8::repair(text);
  if (impl_->vocabulary.pre == PreTokenizer::hunyuan) text = held = to_nfc(text);

  std::vector<Token> tokens;
  Merger merger(impl_->merges, impl_->byte_tokens);
  for (const std::string_view word : split_words(impl_->vocabulary.pre, text)) {
    if (impl_->whole_words) {
      if (const auto at = impl_->index.find(word); at != impl_->index.end()) {
        tokens.push_back(at->second);
        continue;
      }
    }
    merger.merge(word, tokens);
  }
  return tokens;
}

std::string_view Tokenizer::bytes(Token token) const {
  const Vocabulary& vocabulary = impl_->vocabulary;
  if (token < 0 || static_cast<size_t>(token) >= vocabulary.tokens.size()) return {};
  const TokenKind kind = vocabulary.kinds[static_cast<size_t>(token)];
  if (kind == TokenKind::control || kind == TokenKind::unused) return {};
  return vocabulary.tokens[static_cast<size_t>(token)];
}

std::string Tokenizer::decode(const std::vector<Token>& tokens) const {
  std::string all;
  for (const Token token : tokens) all += bytes(token);
  return utf8::repair(all);
}

const Vocabulary& Tokenizer::vocabulary() const {
  return impl_->vocabulary;
}

}  // namespace hymt::tokenizer
