#include "translate/quality/tokenize.h"

#include <unicode/uchar.h>

#include <algorithm>
#include <array>
#include <utility>

#include "base/utf8.h"

namespace hymt::translate::quality {
namespace {

// White space as Python's str.isspace() has it: that of Unicode, and the information separators.
bool is_space(char32_t c) {
  return u_isUWhiteSpace(static_cast<UChar32>(c)) || (c >= 0x1C && c <= 0x1F);
}

bool is_digit(char32_t c) {
  return c >= '0' && c <= '9';
}

// ASCII punctuation that 13a always cuts off: all but ' , - and .
bool stands_alone(char32_t c) {
  return (c >= ' ' && c <= '&') || (c >= '(' && c <= '+') || (c >= ':' && c <= '@') || c == '/' ||
         (c >= '[' && c <= '`') || (c >= '{' && c <= '~');
}

void replace_all(std::u32string& text, std::u32string_view from, std::u32string_view to) {
  for (size_t at = 0; (at = text.find(from, at)) != std::u32string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

// The steps of mteval-v13a after its entities. Each works on the result of the one before, and its
// matches take two characters and do not overlap.
std::u32string cut_punctuation(const std::u32string& text) {
  std::u32string alone;
  for (const char32_t c : text) {
    if (stands_alone(c)) {
      alone += {U' ', c, U' '};
    } else {
      alone += c;
    }
  }
  // Two characters a and b that `match` become `make(a, b)`.
  const auto pass = [](const std::u32string& in, auto match, auto make) {
    std::u32string out;
    for (size_t i = 0; i < in.size(); ++i) {
      if (i + 1 < in.size() && match(in[i], in[i + 1])) {
        out += make(in[i], in[i + 1]);
        ++i;
      } else {
        out += in[i];
      }
    }
    return out;
  };
  const auto point = [](char32_t c) { return c == '.' || c == ','; };
  const auto after = [](char32_t a, char32_t b) { return std::u32string{a, U' ', b, U' '}; };
  const auto before = [](char32_t a, char32_t b) { return std::u32string{U' ', a, U' ', b}; };
  auto out = pass(
      alone, [&](char32_t a, char32_t b) { return !is_digit(a) && point(b); }, after);
  out = pass(
      out, [&](char32_t a, char32_t b) { return point(a) && !is_digit(b); }, before);
  return pass(
      out, [](char32_t a, char32_t b) { return is_digit(a) && b == '-'; }, after);
}

std::u32string prepare_13a(std::u32string text) {
  replace_all(text, U"<skipped>", U"");
  replace_all(text, U"-\n", U"");
  replace_all(text, U"\n", U" ");
  replace_all(text, U"&quot;", U"\"");
  replace_all(text, U"&amp;", U"&");
  replace_all(text, U"&lt;", U"<");
  replace_all(text, U"&gt;", U">");
  return cut_punctuation(U" " + text + U" ");
}

// What sacreBLEU's zh tokenizer takes for Chinese: ideographs, their punctuation, full-width forms.
bool is_chinese(char32_t c) {
  constexpr auto kRanges = std::to_array<std::pair<char32_t, char32_t>>({
      {0x3400, 0x4DB5}, {0x4E00, 0x9FA5},   {0x9FA6, 0x9FBB},   {0xF900, 0xFA2D}, {0xFA30, 0xFA6A},
      {0xFA70, 0xFAD9}, {0x20000, 0x2A6D6}, {0x2F800, 0x2FA1D}, {0xFF00, 0xFFEF}, {0x2E80, 0x2EFF},
      {0x3000, 0x303F}, {0x31C0, 0x31EF},   {0x2F00, 0x2FDF},   {0x2FF0, 0x2FFF}, {0x3100, 0x312F},
      {0x31A0, 0x31BF}, {0xFE10, 0xFE1F},   {0xFE30, 0xFE4F},   {0x2600, 0x26FF}, {0x2700, 0x27BF},
      {0x3200, 0x32FF}, {0x3300, 0x33FF},
  });
  return std::any_of(kRanges.begin(), kRanges.end(),
                     [c](const auto& range) { return c >= range.first && c <= range.second; });
}

std::u32string prepare_zh(std::u32string_view text) {
  const auto first = std::find_if_not(text.begin(), text.end(), is_space);
  std::u32string out;
  for (auto at = first; at != text.end(); ++at) {
    if (is_chinese(*at)) {
      out += {U' ', *at, U' '};
    } else {
      out += *at;
    }
  }
  return cut_punctuation(out);
}

std::vector<std::string> split(std::u32string_view text) {
  std::vector<std::string> words;
  std::string word;
  for (const char32_t c : text) {
    if (!is_space(c)) {
      utf8::append(word, c);
    } else if (!word.empty()) {
      words.push_back(std::move(word));
      word.clear();
    }
  }
  if (!word.empty()) words.push_back(std::move(word));
  return words;
}

}  // namespace

std::string_view name(Tokenizer tokenizer) {
  switch (tokenizer) {
    case Tokenizer::zh:
      return "zh";
    case Tokenizer::characters:
      return "char";
    case Tokenizer::v13a:
      break;
  }
  return "13a";
}

std::optional<Tokenizer> tokenizer_named(std::string_view wanted) {
  for (const auto tokenizer : {Tokenizer::v13a, Tokenizer::zh, Tokenizer::characters}) {
    if (name(tokenizer) == wanted) return tokenizer;
  }
  return std::nullopt;
}

Tokenizer tokenizer_for(std::string_view language) {
  const auto is = [&](std::string_view code) { return language == code; };
  if (is("zh") || is("zh-Hant") || is("yue")) return Tokenizer::zh;
  if (is("ja") || is("th") || is("km") || is("my") || is("bo")) return Tokenizer::characters;
  return Tokenizer::v13a;
}

std::vector<std::string> tokenize(Tokenizer tokenizer, std::string_view sentence) {
  std::u32string text = decode(sentence);
  while (!text.empty() && is_space(text.back())) text.pop_back();
  switch (tokenizer) {
    case Tokenizer::v13a:
      return split(prepare_13a(std::move(text)));
    case Tokenizer::zh:
      return split(prepare_zh(text));
    case Tokenizer::characters:
      break;
  }
  std::vector<std::string> characters;
  for (const char32_t c : text) {
    if (!is_space(c)) characters.push_back(encode({&c, 1}));
  }
  return characters;
}

std::vector<std::string> split(std::string_view sentence) {
  return split(std::u32string_view(decode(sentence)));
}

std::u32string decode(std::string_view sentence) {
  std::u32string out;
  for (size_t at = 0; at < sentence.size();) out += utf8::next(sentence, at);
  return out;
}

std::string encode(std::u32string_view characters) {
  std::string out;
  for (const char32_t c : characters) utf8::append(out, c);
  return out;
}

}  // namespace hymt::translate::quality
