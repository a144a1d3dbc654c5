// Reads little-endian numbers and strings from bytes that may be hostile: every read is checked
// against what is left, and nothing is allocated for bytes that are not there.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <string_view>

#include "base/mapped_file.h"

namespace hymt::checkpoint {

static_assert(std::endian::native == std::endian::little, "numbers are read as they lie");

class ByteReader {
 public:
  explicit ByteReader(Bytes bytes) : bytes_(bytes) {}

  uint64_t at() const { return at_; }
  uint64_t left() const { return bytes_.size() - at_; }

  // False, and nothing is taken, if too few bytes are left.
  template <class T>
  bool take(T& value) {
    if (left() < sizeof value) return false;
    std::memcpy(&value, bytes_.data() + at_, sizeof value);
    at_ += sizeof value;
    return true;
  }

  bool take(std::string_view& text, uint64_t size) {
    if (left() < size) return false;
    text = {reinterpret_cast<const char*>(bytes_.data()) + at_, size};
    at_ += size;
    return true;
  }

 private:
  Bytes bytes_;
  uint64_t at_ = 0;
};

}  // namespace hymt::checkpoint
