#include "translate/one_line.h"

#include "base/utf8.h"
#include "translate/paragraphs.h"

namespace hymt::translate {

std::string OneLine::push(std::string_view text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t character = utf8::next(text, at);
    const std::string_view bytes = text.substr(begin, at - begin);
    if (is_space(character)) {
      held_ += bytes;
      broken_ = broken_ || is_line_break(character);
      continue;
    }
    if (begun_) out += broken_ ? std::string_view(" ") : std::string_view(held_);
    out += bytes;
    held_.clear();
    broken_ = false;
    begun_ = true;
  }
  return out;
}

}  // namespace hymt::translate
