#include "bench/random_vocabulary.h"

#include <algorithm>
#include <string>
#include <unordered_map>

#include "base/check.h"
#include "base/utf8.h"
#include "bench/random_number.h"

namespace hymt::bench {
namespace {

using tokenizer::PreTokenizer;
using tokenizer::Token;
using tokenizer::TokenKind;
using tokenizer::Vocabulary;

constexpr size_t kMaxHan = 8000;  // Chinese characters that are a token
constexpr char32_t kFirstHan = 0x4E00;
constexpr size_t kMaxWordBytes = 14;

class Builder {
 public:
  explicit Builder(Vocabulary& out) : out_(out) {
    for (int byte = 0; byte < 256; ++byte) add(std::string(1, static_cast<char>(byte)));
  }

  size_t size() const { return out_.tokens.size(); }
  Token byte(unsigned char value) const { return value; }
  const std::string& text(Token token) const { return out_.tokens[static_cast<size_t>(token)]; }

  // The token of the two together: an old one, or a new one with its merge.
  std::pair<Token, bool> merge(Token left, Token right) {
    const std::string whole = text(left) + text(right);
    if (const auto at = ids_.find(whole); at != ids_.end()) return {at->second, false};
    out_.merges.emplace_back(left, right);
    return {add(whole), true};
  }

 private:
  Token add(const std::string& text) {
    const auto id = static_cast<Token>(size());
    ids_.emplace(text, id);
    out_.tokens.push_back(text);
    out_.kinds.push_back(TokenKind::normal);
    return id;
  }

  Vocabulary& out_;
  std::unordered_map<std::string, Token> ids_;
};

void add_han(Builder& builder, size_t n_normal) {
  const size_t count = std::min(kMaxHan, (n_normal - builder.size()) / 8);
  for (size_t i = 0; i < count; ++i) {
    std::string bytes;
    utf8::append(bytes, kFirstHan + static_cast<char32_t>(i));
    const auto at = [&](size_t k) { return builder.byte(static_cast<unsigned char>(bytes[k])); };
    builder.merge(builder.merge(at(0), at(1)).first, at(2));
  }
}

// Words of letters, some with a blank before them, each made of two shorter ones.
void add_words(Builder& builder, size_t n_normal, Random& random) {
  std::vector<Token> heads = {' '}, tails;
  for (Token letter = 'a'; letter <= 'z'; ++letter) {
    heads.push_back(letter);
    tails.push_back(letter);
  }
  const auto pick = [&](const std::vector<Token>& from) {
    return from[random.below(static_cast<uint32_t>(from.size()))];
  };
  while (builder.size() < n_normal) {
    const Token left = pick(heads), right = pick(tails);
    if (builder.text(left).size() + builder.text(right).size() > kMaxWordBytes) continue;
    const auto [word, is_new] = builder.merge(left, right);
    if (!is_new) continue;
    heads.push_back(word);
    if (builder.text(word).front() != ' ') tails.push_back(word);
  }
}

// The 7B family's, from its first special id on.
std::vector<std::string> hunyuan_specials(int n_extra) {
  std::vector<std::string> out = {"<|endoftext|>", "<|startoftext|>", "<|bos|>", "<|eos|>",
                                  "<|pad|>"};
  for (int i = 0; i < n_extra; ++i) out.push_back("<|extra_" + std::to_string(i) + "|>");
  return out;
}

// The 1.8B family's. Ids whose text is not known get one of their own.
std::vector<std::string> dense_specials(int count) {
  std::vector<std::string> out;
  for (int i = 0; i < count; ++i) {
    const int holder = i - 18;  // no 2 is id 120020
    if (holder >= 0 && holder < 10) {
      out.push_back("<｜hy_place▁holder▁no▁" + std::to_string(holder) + "｜>");
    } else {
      out.push_back("<｜hy_unknown▁" + std::to_string(i) + "｜>");
    }
  }
  out[0] = "<｜hy_begin▁of▁sentence｜>";
  out[1] = "<｜hy_end▁of▁sentence｜>";
  out[2] = "<｜hy_▁pad▁｜>";
  out[6] = "<｜hy_User｜>";
  out[7] = "<｜hy_Assistant｜>";
  out[8] = "<｜hy_EOT｜>";
  return out;
}

std::vector<std::string> specials(int n_vocab, PreTokenizer pre) {
  if (pre == PreTokenizer::hunyuan_dense) return dense_specials(n_vocab == 120818 ? 818 : 32);
  return hunyuan_specials(n_vocab >= 128167 ? 205 : 8);
}

}  // namespace

Vocabulary random_vocabulary(int n_vocab, PreTokenizer pre, uint64_t seed) {
  HYMT_CHECK(n_vocab >= kSmallestVocabulary);
  Vocabulary out;
  out.pre = pre;
  const auto special = specials(n_vocab, pre);
  const auto size = static_cast<size_t>(n_vocab);
  // Rows behind the special tokens, as the published 7B has them.
  const size_t padding = pre == PreTokenizer::hunyuan && n_vocab == 128256 ? 128256 - 128167 : 0;
  const size_t n_normal = size - special.size() - padding;
  Builder builder(out);
  Random random(seed);
  add_han(builder, n_normal);
  add_words(builder, n_normal, random);
  for (const std::string& text : special) {
    out.tokens.push_back(text);
    out.kinds.push_back(TokenKind::control);
  }
  out.tokens.resize(size);
  out.kinds.resize(size, TokenKind::unused);
  return out;
}

}  // namespace hymt::bench
