// A byte-level BPE vocabulary as plain data. Where it came from no longer matters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace hymt::tokenizer {

using Token = int32_t;

// How text is cut into words before merging.
enum class PreTokenizer : uint8_t {
  hunyuan,        // 7B family: one pattern, after NFC
  hunyuan_dense,  // 1.8B family: three splits one after the other, no normalisation
};

// "hunyuan", "hunyuan-dense": GGUF's tokenizer.ggml.pre.
std::string_view name(PreTokenizer pre);

enum class TokenKind : uint8_t { normal, control, user_defined, unused };

// Whether an added token's text is that of a special one, "<|…|>" or "<｜…｜>": files call some of
// them ordinary, so readers make control tokens of user-defined ones that look like this.
bool looks_special(std::string_view text);

// The most tokens that a vocabulary may have: ten times the largest one published.
inline constexpr size_t kMaxTokens = size_t{1} << 21;

struct Vocabulary {
  std::string source;  // the file, for messages
  PreTokenizer pre = PreTokenizer::hunyuan;
  std::vector<std::string> tokens;  // [n_vocab] bytes (byte-level alphabet already undone);
                                    // for control tokens, their text
  std::vector<TokenKind> kinds;     // [n_vocab]
  // Pairs in order of priority; the merged token is the concatenation. Empty for a rank-based
  // vocabulary (tiktoken), where any two tokens whose concatenation is a token merge, lowest id
  // first.
  std::vector<std::pair<Token, Token>> merges;
  // A word that is a token is that token, whatever the merges would make of it (tokenizer.json's
  // ignore_merges). Rank-based vocabularies always work like this.
  bool whole_words = false;

  // The control or user-defined token with this text, or -1.
  Token find_special(std::string_view text) const;
};

// Hugging Face's tokenizer.json (model BPE, byte-level). `source` is for messages.
Result<Vocabulary> read_tokenizer_json(std::string_view json, const std::string& source);

// A tiktoken rank file ("base64 rank" a line) plus Hunyuan's special tokens behind the ranks.
Result<Vocabulary> read_tiktoken(std::string_view text, const std::string& source);

// For a rank-based vocabulary: the merges in the order of the ranks, one for each token that other
// tokens make, as programs that know only merges want them. They give the same tokens for nearly
// every text, not for all: a token can be made in more than one way.
Result<std::vector<std::pair<Token, Token>>> merges_of_ranks(const Vocabulary& vocabulary);

// GPT-2's byte-level alphabet: each byte as one printable character, and back.
std::string to_byte_level(std::string_view bytes);
Result<std::string> from_byte_level(std::string_view text);

}  // namespace hymt::tokenizer
