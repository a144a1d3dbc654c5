// Text to tokens and back: byte-level BPE.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizer/vocabulary.h"

namespace hymt::tokenizer {

// Immutable after construction; any thread.
class Tokenizer {
 public:
  static Result<std::unique_ptr<const Tokenizer>> make(Vocabulary vocabulary);
  ~Tokenizer();

  // Plain text: special tokens in it are text like any other. The text must be valid UTF-8.
  // Work grows linearly with the text, whatever it holds.
  std::vector<Token> encode(std::string_view text) const;

  // The bytes of a token; "" for control tokens and ids out of range: no piece of one ever
  // reaches a reply.
  std::string_view bytes(Token token) const;

  std::string decode(const std::vector<Token>& tokens) const;  // ill-formed bytes as U+FFFD

  const Vocabulary& vocabulary() const;

 private:
  struct Impl;
  explicit Tokenizer(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// Gives out the text of a token stream in whole characters: every piece is valid UTF-8, and the
// pieces joined equal the decoded whole. One stream, one thread.
class Detokenizer {
 public:
  explicit Detokenizer(const Tokenizer& tokenizer) : tokenizer_(tokenizer) {}

  std::string push(Token token);
  std::string finish();  // what is left, ill-formed bytes as U+FFFD

 private:
  const Tokenizer& tokenizer_;
  std::string held_;  // the start of a character (at most 3 bytes)
};

}  // namespace hymt::tokenizer
