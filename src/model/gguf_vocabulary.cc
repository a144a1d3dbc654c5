#include "model/gguf_vocabulary.h"

#include <unordered_map>

#include "base/quote.h"

namespace hymt::model {
namespace {

using checkpoint::Checkpoint;
using tokenizer::PreTokenizer;
using tokenizer::Token;
using tokenizer::TokenKind;
using tokenizer::Vocabulary;

constexpr const char* kModel = "tokenizer.ggml.model";
constexpr const char* kPre = "tokenizer.ggml.pre";
constexpr const char* kTokens = "tokenizer.ggml.tokens";
constexpr const char* kTypes = "tokenizer.ggml.token_type";
constexpr const char* kMerges = "tokenizer.ggml.merges";
constexpr const char* kRanks = "hymt.tokenizer.ranks";
constexpr const char* kWholeWords = "hymt.tokenizer.ignore_merges";

// The type numbers of the format, from 1: normal, unknown, control, user defined, unused. (6 are
// the bytes of another kind of tokenizer.)
constexpr TokenKind kKinds[] = {TokenKind::normal, TokenKind::unused, TokenKind::control,
                                TokenKind::user_defined, TokenKind::unused};

int64_t type_number(TokenKind kind) {
  switch (kind) {
    case TokenKind::normal:
      return 1;
    case TokenKind::control:
      return 3;
    case TokenKind::user_defined:
      return 4;
    case TokenKind::unused:
      break;
  }
  return 5;
}

class Reader {
 public:
  explicit Reader(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {
    vocabulary_.source = checkpoint.path;
  }

  Result<Vocabulary> read() {
    HYMT_TRY(read_pre_tokenizer());
    texts_ = HYMT_TRY(list<std::string>(kTokens, "strings"));
    if (texts_->empty() || texts_->size() > tokenizer::kMaxTokens) {
      return refuse(kTokens, "has " + std::to_string(texts_->size()) + " entries, not 1 to " +
                                 std::to_string(tokenizer::kMaxTokens));
    }
    HYMT_TRY(read_kinds());
    HYMT_TRY(read_tokens());
    if (HYMT_TRY(flag(kRanks))) return std::move(vocabulary_);
    vocabulary_.whole_words = HYMT_TRY(flag(kWholeWords));
    HYMT_TRY(read_merges());
    return std::move(vocabulary_);
  }

 private:
  tl::unexpected<Error> refuse(const std::string& key, const std::string& what,
                               Code code = Code::invalid_argument) const {
    return fail(code, checkpoint_.path + ": " + key + " " + what, key);
  }

  template <class T>
  Result<const std::vector<T>*> list(const char* key, const char* of) const {
    const auto at = checkpoint_.metadata.find(key);
    if (at == checkpoint_.metadata.end()) return refuse(key, "is missing");
    const auto* values = std::get_if<std::vector<T>>(&at->second);
    if (!values) return refuse(key, std::string("is no list of ") + of);
    return values;
  }

  Result<bool> flag(const char* key) const {
    const auto at = checkpoint_.metadata.find(key);
    if (at == checkpoint_.metadata.end()) return false;
    const auto* value = std::get_if<bool>(&at->second);
    if (!value) return refuse(key, "is neither true nor false");
    return *value;
  }

  Result<void> read_pre_tokenizer() {
    const std::string model = HYMT_TRY(get_string(checkpoint_, kModel));
    if (model != "gpt2") {
      return refuse(kModel, "is " + in_quotes(model) + "; 'gpt2' (byte-level BPE) is supported",
                    Code::unsupported);
    }
    const std::string pre = HYMT_TRY(get_string(checkpoint_, kPre));
    for (const PreTokenizer known : {PreTokenizer::hunyuan, PreTokenizer::hunyuan_dense}) {
      if (pre != name(known)) continue;
      vocabulary_.pre = known;
      return {};
    }
    return refuse(kPre, "is " + in_quotes(pre) + "; 'hunyuan' and 'hunyuan-dense' are supported",
                  Code::unsupported);
  }

  Result<void> read_kinds() {
    const auto* types = HYMT_TRY(list<int64_t>(kTypes, "integers"));
    if (types->size() != texts_->size()) {
      return refuse(kTypes, "has " + std::to_string(types->size()) + " entries for " +
                                std::to_string(texts_->size()) + " tokens");
    }
    for (size_t id = 0; id < types->size(); ++id) {
      const int64_t type = (*types)[id];
      if (type < 1 || type > static_cast<int64_t>(std::size(kKinds))) {
        return refuse(kTypes, "has " + std::to_string(type) + " at " + std::to_string(id) +
                                  ", not 1 to " + std::to_string(std::size(kKinds)));
      }
      TokenKind kind = kKinds[type - 1];
      if (kind == TokenKind::user_defined && tokenizer::looks_special((*texts_)[id])) {
        kind = TokenKind::control;
      }
      vocabulary_.kinds.push_back(kind);
    }
    return {};
  }

  Result<void> read_tokens() {
    for (size_t id = 0; id < texts_->size(); ++id) {
      const std::string& text = (*texts_)[id];
      if (vocabulary_.kinds[id] != TokenKind::normal) {
        vocabulary_.tokens.push_back(text);
        continue;
      }
      auto bytes = tokenizer::from_byte_level(text);
      if (!bytes) {
        return refuse(kTokens, "has " + in_quotes(text) + " at " + std::to_string(id) +
                                   ", which is not in the byte-level alphabet");
      }
      vocabulary_.tokens.push_back(*std::move(bytes));
    }
    return {};
  }

  Result<void> read_merges() {
    const auto* merges = HYMT_TRY(list<std::string>(kMerges, "strings"));
    std::unordered_map<std::string_view, Token> ids;
    ids.reserve(texts_->size());
    for (size_t id = 0; id < texts_->size(); ++id) {
      ids.emplace((*texts_)[id], static_cast<Token>(id));
    }
    for (size_t i = 0; i < merges->size(); ++i) {
      const std::string_view merge = (*merges)[i];
      // The alphabet has no blank, so the only one stands between the two.
      const size_t blank = std::min(merge.find(' '), merge.size());
      const auto left = ids.find(merge.substr(0, blank));
      const auto right = ids.find(merge.substr(std::min(blank + 1, merge.size())));
      if (left == ids.end() || right == ids.end()) {
        return refuse(kMerges, "has " + in_quotes(merge) + " at " + std::to_string(i) +
                                   ", which is no pair of tokens");
      }
      vocabulary_.merges.emplace_back(left->second, right->second);
    }
    return {};
  }

  const Checkpoint& checkpoint_;
  const std::vector<std::string>* texts_ = nullptr;
  Vocabulary vocabulary_;
};

}  // namespace

Result<Vocabulary> read_vocabulary(const Checkpoint& checkpoint) {
  return Reader(checkpoint).read();
}

Result<void> write_vocabulary(const Vocabulary& vocabulary, Checkpoint& checkpoint) {
  std::vector<std::string> texts;
  std::vector<int64_t> types;
  for (size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    const TokenKind kind = vocabulary.kinds[id];
    const std::string& token = vocabulary.tokens[id];
    if (kind == TokenKind::normal) {
      texts.push_back(tokenizer::to_byte_level(token));
    } else {
      texts.push_back(token.empty() ? "[PAD" + std::to_string(id) + "]" : token);
    }
    types.push_back(type_number(kind));
  }

  const bool ranks = vocabulary.merges.empty();
  const auto pairs = ranks ? HYMT_TRY(merges_of_ranks(vocabulary)) : vocabulary.merges;
  std::vector<std::string> merges;
  merges.reserve(pairs.size());
  for (const auto& [left, right] : pairs) {
    merges.push_back(texts[static_cast<size_t>(left)] + " " + texts[static_cast<size_t>(right)]);
  }

  auto& metadata = checkpoint.metadata;
  metadata[kModel] = std::string("gpt2");
  metadata[kPre] = std::string(name(vocabulary.pre));
  metadata[kTokens] = std::move(texts);
  metadata[kTypes] = std::move(types);
  metadata[kMerges] = std::move(merges);
  if (ranks) metadata[kRanks] = true;
  if (vocabulary.whole_words) metadata[kWholeWords] = true;
  return {};
}

}  // namespace hymt::model
