// Any bytes, first of all as text: both pre-tokenizers' vocabularies give it back as it was, whole
// and streamed, and never a special token. Then as a tokenizer.json and as a rank file: an error,
// or a vocabulary to tokenize with.
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "support/small_vocabulary.h"
#include "tokenizer/normalize.h"
#include "tokenizer/tokenizer.h"

namespace {

using namespace hymt::tokenizer;

constexpr size_t kMaxText = 512;  // what a vocabulary file needs more of says nothing new as text

void require(bool condition) {
  if (!condition) __builtin_trap();
}

std::vector<std::unique_ptr<const Tokenizer>> make_tokenizers() {
  const std::vector<std::pair<std::string, std::string>> merges = {
      {"a", "a"}, {"aa", "a"},      {"t", "h"}, {"th", "e"}, {" ", "the"}, {" ", " "},  {"  ", " "},
      {"e", "s"}, {"\xE4", "\xB8"}, {"<", "|"}, {"e", "o"},  {"eo", "s"},  {"\n", "\n"}};
  std::vector<std::unique_ptr<const Tokenizer>> out;
  for (const PreTokenizer pre : {PreTokenizer::hunyuan, PreTokenizer::hunyuan_dense}) {
    for (const bool ranks : {false, true}) {
      auto vocabulary = hymt::test::small_vocabulary(merges, {"<|eos|>", "|>"}, pre);
      if (ranks) vocabulary.merges.clear();
      out.push_back(Tokenizer::make(std::move(vocabulary)).value());
    }
  }
  return out;
}

void round_trip(const Tokenizer& tokenizer, const std::string& text) {
  const std::vector<Token> tokens = tokenizer.encode(text);
  for (const Token token : tokens) {
    const auto kind = tokenizer.vocabulary().kinds[static_cast<size_t>(token)];
    require(kind == TokenKind::normal);
  }
  const bool normalised = tokenizer.vocabulary().pre == PreTokenizer::hunyuan;
  require(tokenizer.decode(tokens) == (normalised ? to_nfc(text) : text));

  Detokenizer detokenizer(tokenizer);
  std::string streamed;
  for (const Token token : tokens) {
    const std::string piece = detokenizer.push(token);
    require(hymt::utf8::valid(piece));
    streamed += piece;
  }
  require(streamed + detokenizer.finish() == tokenizer.decode(tokens));
}

// Tokens in any order may be halves of characters; streamed they are still the decoded whole.
void stream_bytes(const Tokenizer& tokenizer, std::string_view bytes) {
  std::vector<Token> tokens;
  Detokenizer detokenizer(tokenizer);
  std::string streamed;
  for (const char byte : bytes) {
    tokens.push_back(static_cast<uint8_t>(byte));
    streamed += detokenizer.push(tokens.back());
  }
  require(streamed + detokenizer.finish() == tokenizer.decode(tokens));
}

void check(const hymt::Result<Vocabulary>& vocabulary, const std::string& text) {
  if (!vocabulary) {
    const std::string& message = vocabulary.error().message;
    require(message.starts_with("fuzz") && message.find('\n') == std::string::npos);
    return;
  }
  require(vocabulary->tokens.size() == vocabulary->kinds.size());
  const auto tokenizer = Tokenizer::make(*vocabulary);
  if (tokenizer) round_trip(**tokenizer, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto tokenizers = make_tokenizers();
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const std::string_view start = bytes.substr(0, kMaxText);
  const std::string text = hymt::utf8::repair(start);
  for (const auto& tokenizer : tokenizers) {
    round_trip(*tokenizer, text);
    stream_bytes(*tokenizer, start);
  }
  check(read_tokenizer_json(bytes, "fuzz.json"), text);
  check(read_tiktoken(bytes, "fuzz.tiktoken"), text);
  return 0;
}
