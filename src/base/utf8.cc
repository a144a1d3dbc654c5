#include "base/utf8.h"

namespace hymt::utf8 {
namespace {

struct Decoded {
  char32_t character;
  uint8_t length;  // bytes read
  bool ok;
  bool cut;  // well-formed so far, but the text ends inside the character
};

Decoded decode(std::string_view text, size_t at) {
  const auto byte = [&](size_t i) { return static_cast<uint8_t>(text[i]); };
  const uint8_t lead = byte(at);
  if (lead < 0x80) return {lead, 1, true, false};
  int extra = 0;
  char32_t value = 0;
  uint8_t low = 0x80, high = 0xBF;  // allowed range of the second byte
  if (lead >= 0xC2 && lead <= 0xDF) {
    extra = 1, value = lead & 0x1F;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    extra = 2, value = lead & 0x0F;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    extra = 3, value = lead & 0x07;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  } else {
    return {kReplacement, 1, false, false};
  }
  for (int i = 1; i <= extra; ++i) {
    if (at + static_cast<size_t>(i) >= text.size()) {
      return {kReplacement, static_cast<uint8_t>(i), false, true};
    }
    const uint8_t next_byte = byte(at + static_cast<size_t>(i));
    if (next_byte < low || next_byte > high) {
      return {kReplacement, static_cast<uint8_t>(i), false, false};
    }
    value = (value << 6) | (next_byte & 0x3F);
    low = 0x80, high = 0xBF;
  }
  return {value, static_cast<uint8_t>(extra + 1), true, false};
}

}  // namespace

char32_t next(std::string_view text, size_t& at) {
  const Decoded decoded = decode(text, at);
  at += decoded.length;
  return decoded.character;
}

size_t find_invalid(std::string_view text) {
  for (size_t at = 0; at < text.size();) {
    const Decoded decoded = decode(text, at);
    if (!decoded.ok) return at;
    at += decoded.length;
  }
  return std::string_view::npos;
}

size_t complete_prefix(std::string_view text) {
  // Only the last three bytes can belong to an unfinished character.
  for (size_t back = 1; back <= 3 && back <= text.size(); ++back) {
    const size_t at = text.size() - back;
    const auto byte = static_cast<uint8_t>(text[at]);
    if (byte >= 0xC0) return decode(text, at).cut ? at : text.size();
    if (byte < 0x80) break;
  }
  return text.size();
}

void append(std::string& out, char32_t c) {
  if (c < 0x80) {
    out += static_cast<char>(c);
  } else if (c < 0x800) {
    out += static_cast<char>(0xC0 | (c >> 6));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else if (c < 0x10000) {
    out += static_cast<char>(0xE0 | (c >> 12));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  } else {
    out += static_cast<char>(0xF0 | (c >> 18));
    out += static_cast<char>(0x80 | ((c >> 12) & 0x3F));
    out += static_cast<char>(0x80 | ((c >> 6) & 0x3F));
    out += static_cast<char>(0x80 | (c & 0x3F));
  }
}

std::string repair(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const Decoded decoded = decode(text, at);
    at += decoded.length;
    if (decoded.ok) {
      out.append(text.substr(start, decoded.length));
    } else {
      append(out, kReplacement);
    }
  }
  return out;
}

}  // namespace hymt::utf8
