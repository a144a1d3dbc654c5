// The rank file that tiktoken reads: a line for each token, its bytes in base64 and its rank.
#include <array>
#include <charconv>

#include "base/quote.h"
#include "tokenizer/vocabulary.h"

namespace hymt::tokenizer {
namespace {

// Hunyuan's special tokens, in the order of their ids, which follow the ranks.
std::vector<std::string> special_tokens() {
  std::vector<std::string> names = {"<|endoftext|>", "<|startoftext|>", "<|bos|>", "<|eos|>",
                                    "<|pad|>"};
  for (int i = 0; i < 205; ++i) names.push_back("<|extra_" + std::to_string(i) + "|>");
  return names;
}

int sextet(char c) {
  if (c >= 'A' && c <= 'Z') return c - 'A';
  if (c >= 'a' && c <= 'z') return c - 'a' + 26;
  if (c >= '0' && c <= '9') return c - '0' + 52;
  if (c == '+') return 62;
  return c == '/' ? 63 : -1;
}

// False if the text is no padded base64, or is that of nothing.
bool decode_base64(std::string_view text, std::string& out) {
  if (text.empty() || text.size() % 4 != 0) return false;
  size_t digits = text.size();
  while (text.size() - digits < 2 && text[digits - 1] == '=') --digits;
  uint32_t bits = 0;
  int n_bits = 0;
  for (const char c : text.substr(0, digits)) {
    const int value = sextet(c);
    if (value < 0) return false;
    bits = (bits << 6 | static_cast<uint32_t>(value)) & 0xFFFF;
    n_bits += 6;
    if (n_bits < 8) continue;
    n_bits -= 8;
    out += static_cast<char>(bits >> n_bits);
  }
  return true;
}

}  // namespace

Result<Vocabulary> read_tiktoken(std::string_view text, const std::string& source) {
  Vocabulary vocabulary;
  vocabulary.source = source;
  vocabulary.pre = PreTokenizer::hunyuan;
  size_t number = 0;  // of the line
  const auto wrong = [&](std::string_view line, const std::string& what) {
    return fail(Code::invalid_argument,
                source + ", line " + std::to_string(number) + ": " + in_quotes(line) + " " + what);
  };
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    at = end + 1;
    ++number;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty()) continue;

    const size_t blank = line.find(' ');
    std::string bytes;
    if (blank == std::string_view::npos || !decode_base64(line.substr(0, blank), bytes)) {
      return wrong(line, "is no base64 token and its rank");
    }
    const std::string_view digits = line.substr(blank + 1);
    size_t rank = 0;
    const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), rank);
    if (error != std::errc() || rest != digits.data() + digits.size()) {
      return wrong(line, "has no rank");
    }
    if (rank != vocabulary.tokens.size()) {
      return wrong(line, "is out of order: rank " + std::to_string(vocabulary.tokens.size()) +
                             " comes next");
    }
    if (rank == kMaxTokens) return wrong(line, "is one token too many");
    vocabulary.tokens.push_back(std::move(bytes));
  }
  if (vocabulary.tokens.empty()) {
    return fail(Code::invalid_argument,
                source + ": no tokens; a line is a base64 token and a rank");
  }
  vocabulary.kinds.assign(vocabulary.tokens.size(), TokenKind::normal);
  for (std::string& special : special_tokens()) {
    vocabulary.tokens.push_back(std::move(special));
    vocabulary.kinds.push_back(TokenKind::control);
  }
  return vocabulary;
}

}  // namespace hymt::tokenizer
