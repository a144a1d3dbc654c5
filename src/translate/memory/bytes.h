// Numbers as bytes, one after the other: what keys and remembered answers are written in. Numbers
// take seven bits a byte, low bits first, the high bit set on all but the last (LEB128).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace hymt::translate::memory {

inline void put_number(std::string& out, uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>(value | 0x80);
  out += static_cast<char>(value);
}

inline void put_bytes(std::string& out, std::string_view bytes) {
  put_number(out, bytes.size());
  out += bytes;
}

// Any bytes; nullopt once they end too early or a number has more than 64 bits.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : left_(bytes) {}

  std::optional<uint64_t> number() {
    uint64_t value = 0;
    for (int shift = 0; shift < 64 && !left_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(left_.front());
      left_.remove_prefix(1);
      if (shift == 63 && byte > 1) return std::nullopt;
      value |= static_cast<uint64_t>(byte & 0x7F) << shift;
      if (byte < 0x80) return value;
    }
    return std::nullopt;
  }

  std::optional<std::string_view> bytes() {
    const auto size = number();
    if (!size || *size > left_.size()) return std::nullopt;
    const auto out = left_.substr(0, *size);
    left_.remove_prefix(*size);
    return out;
  }

  std::string_view left() const { return left_; }

 private:
  std::string_view left_;
};

}  // namespace hymt::translate::memory
