#include "base/quote.h"

#include "base/utf8.h"

namespace hymt {

std::string in_quotes(std::string_view text, size_t limit) {
  const bool cut = text.size() > limit;
  std::string out = "'";
  for (const char c : utf8::repair(text.substr(0, limit))) {
    out += static_cast<unsigned char>(c) < 0x20 || c == 0x7F ? '?' : c;
  }
  return out + (cut ? "...'" : "'");
}

}  // namespace hymt
