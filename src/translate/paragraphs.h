// A text as what is to be translated and what lies between.
//
// The text stays one buffer; paragraphs are byte ranges into it, ascending and disjoint. Whatever
// no paragraph covers (line breaks, margins, blank lines, lines without a letter) is put back byte
// for byte, so it survives by construction.
//
// "  a b\r\n\r\nc \n" has the paragraphs "a b" and "c"; between them lie "  ", "\r\n\r\n", " \n".
// "* * *" and "12:30" have none: there is nothing to translate in them.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace hymt::translate {

struct Range {
  size_t begin = 0;
  size_t end = 0;  // one past

  std::string_view of(std::string_view text) const { return text.substr(begin, end - begin); }
};

// One range for each line that holds a letter, without the white space (in Unicode's sense) at its
// margins. Lines end at LF, CR, VT, FF, NEL, U+2028 and U+2029. `text` must be valid UTF-8.
std::vector<Range> paragraphs(std::string_view text);

// The text with each paragraph replaced: one replacement a range.
std::string put_back(std::string_view text, std::span<const Range> ranges,
                     std::span<const std::string> replacements);

// White space as Unicode's property of that name, and the zero-width characters that only look
// like nothing (ZWSP, BOM).
bool is_space(char32_t character);
bool is_line_break(char32_t character);

}  // namespace hymt::translate
