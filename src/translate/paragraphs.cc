#include "translate/paragraphs.h"

#include <unicode/uchar.h>

#include "base/check.h"
#include "base/utf8.h"

namespace hymt::translate {

bool is_space(char32_t character) {
  constexpr char32_t kZeroWidthSpace = 0x200B;
  constexpr char32_t kByteOrderMark = 0xFEFF;
  return u_isUWhiteSpace(static_cast<UChar32>(character)) || character == kZeroWidthSpace ||
         character == kByteOrderMark;
}

bool is_line_break(char32_t character) {
  constexpr char32_t kNextLine = 0x85;
  return (character >= '\n' && character <= '\r') || character == kNextLine ||
         character == 0x2028 || character == 0x2029;
}

std::vector<Range> paragraphs(std::string_view text) {
  std::vector<Range> ranges;
  Range line;  // from its first to its last character that is no space
  bool empty = true;
  bool letters = false;
  const auto end_line = [&] {
    if (letters) ranges.push_back(line);
    empty = true;
    letters = false;
  };
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t character = utf8::next(text, at);
    if (is_line_break(character)) {
      end_line();
    } else if (!is_space(character)) {
      if (empty) line.begin = begin;
      line.end = at;
      empty = false;
      letters = letters || u_isalpha(static_cast<UChar32>(character));
    }
  }
  end_line();
  return ranges;
}

std::string put_back(std::string_view text, std::span<const Range> ranges,
                     std::span<const std::string> replacements) {
  HYMT_CHECK(ranges.size() == replacements.size());
  std::string out;
  size_t at = 0;
  for (size_t i = 0; i < ranges.size(); ++i) {
    out += text.substr(at, ranges[i].begin - at);
    out += replacements[i];
    at = ranges[i].end;
  }
  out += text.substr(at);
  return out;
}

}  // namespace hymt::translate
