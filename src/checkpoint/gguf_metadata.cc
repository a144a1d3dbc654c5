#include "checkpoint/gguf_metadata.h"

#include <algorithm>
#include <bit>
#include <limits>

#include "base/quote.h"
#include "checkpoint/gguf_format.h"

namespace hymt::checkpoint::gguf {
namespace {

constexpr uint64_t kMaxKeyBytes = 65535;  // the specification's limit
// A key of one byte with its length, a type, a value of one byte.
constexpr uint64_t kSmallestPair = 8 + 1 + 4 + 1;

class Reader {
 public:
  Reader(ByteReader& in, const std::string& path) : in_(in), path_(path) {}

  Result<void> pair(Metadata& out) {
    const std::string_view key = HYMT_TRY(read_string(in_, path_, "a metadata key"));
    key_ = key;
    if (key.empty()) return refuse("a metadata key is empty");
    if (key.size() > kMaxKeyBytes) {
      return refuse("a metadata key has " + std::to_string(key.size()) +
                    " bytes, more than the format's 65535: " + in_quotes(key));
    }
    if (out.values.contains(std::string(key))) return refuse(in_quotes(key) + " appears twice");
    uint32_t type = 0;
    if (!in_.take(type)) return truncated();
    if (key == kAlignmentKey) return alignment(type, out);
    out.values.emplace(key, HYMT_TRY(value(type)));
    return {};
  }

 private:
  tl::unexpected<Error> refuse(const std::string& what) const {
    return fail(Code::invalid_argument, path_ + ": " + what, key_);
  }
  tl::unexpected<Error> truncated() const {
    return cut_short(in_, path_, "the value of " + in_quotes(key_));
  }

  Result<void> alignment(uint32_t type, Metadata& out) {
    if (type != kUint32) {
      return refuse("general.alignment has value type " + std::to_string(type) +
                    ", not 4 (a 32-bit unsigned integer)");
    }
    uint32_t alignment = 0;
    if (!in_.take(alignment)) return truncated();
    if (alignment < 8 || !std::has_single_bit(alignment)) {
      return refuse("general.alignment is " + std::to_string(alignment) +
                    ", not a power of two from 8 up");
    }
    out.alignment = alignment;
    out.values.emplace(kAlignmentKey, static_cast<int64_t>(alignment));
    return {};
  }

  Result<Value> value(uint32_t type) {
    switch (type) {
      case kUint8:
        return integer<uint8_t>();
      case kInt8:
        return integer<int8_t>();
      case kUint16:
        return integer<uint16_t>();
      case kInt16:
        return integer<int16_t>();
      case kUint32:
        return integer<uint32_t>();
      case kInt32:
        return integer<int32_t>();
      case kUint64:
        return integer<uint64_t>();
      case kInt64:
        return integer<int64_t>();
      case kFloat32:
        return real<float>();
      case kFloat64:
        return real<double>();
      case kBool: {
        uint8_t byte = 0;
        if (!in_.take(byte)) return truncated();
        if (byte > 1) return bad_bool(byte);
        return Value(byte == 1);
      }
      case kString:
        return Value(std::string(HYMT_TRY(string())));
      case kArray:
        return array();
      default:
        return refuse(in_quotes(key_) + " has the unknown value type " + std::to_string(type));
    }
  }

  Result<Value> array() {
    uint32_t type = 0;
    uint64_t count = 0;
    if (!in_.take(type) || !in_.take(count)) return truncated();
    switch (type) {
      case kUint8:
        return integers<uint8_t>(count);
      case kInt8:
        return integers<int8_t>(count);
      case kUint16:
        return integers<uint16_t>(count);
      case kInt16:
        return integers<int16_t>(count);
      case kUint32:
        return integers<uint32_t>(count);
      case kInt32:
        return integers<int32_t>(count);
      case kUint64:
        return integers<uint64_t>(count);
      case kInt64:
        return integers<int64_t>(count);
      case kFloat32:
        return reals<float>(count);
      case kFloat64:
        return reals<double>(count);
      case kBool:
        return bools(count);
      case kString:
        return strings(count);
      case kArray:
        return refuse(in_quotes(key_) + " is an array of arrays, which no key of this model needs");
      default:
        return refuse(in_quotes(key_) + " is an array of the unknown value type " +
                      std::to_string(type));
    }
  }

  template <class T>
  Result<Value> integer() {
    T number{};
    if (!in_.take(number)) return truncated();
    if constexpr (std::is_same_v<T, uint64_t>) {
      if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) return Value(number);
    }
    return Value(static_cast<int64_t>(number));
  }

  template <class T>
  Result<Value> real() {
    T number{};
    if (!in_.take(number)) return truncated();
    return Value(static_cast<double>(number));
  }

  // The claimed length of an array is believed only as far as the file has bytes for it.
  Result<void> check_count(uint64_t count, uint64_t element_bytes) const {
    if (count <= in_.left() / element_bytes) return {};
    return refuse(in_quotes(key_) + " claims " + std::to_string(count) +
                  " elements; the file has " + std::to_string(in_.left()) + " bytes left");
  }

  template <class T>
  Result<Value> integers(uint64_t count) {
    HYMT_TRY(check_count(count, sizeof(T)));
    std::vector<int64_t> out(count);
    for (int64_t& one : out) {
      T number{};
      if (!in_.take(number)) return truncated();
      if constexpr (std::is_same_v<T, uint64_t>) {
        if (number > static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
          return refuse(in_quotes(key_) + " holds " + std::to_string(number) + ", past 2^63");
        }
      }
      one = static_cast<int64_t>(number);
    }
    return Value(std::move(out));
  }

  template <class T>
  Result<Value> reals(uint64_t count) {
    HYMT_TRY(check_count(count, sizeof(T)));
    std::vector<double> out(count);
    for (double& one : out) {
      T number{};
      if (!in_.take(number)) return truncated();
      one = static_cast<double>(number);
    }
    return Value(std::move(out));
  }

  Result<Value> bools(uint64_t count) {
    HYMT_TRY(check_count(count, 1));
    std::vector<bool> out(count);
    for (uint64_t i = 0; i < count; ++i) {
      uint8_t byte = 0;
      if (!in_.take(byte)) return truncated();
      if (byte > 1) return bad_bool(byte);
      out[i] = byte == 1;
    }
    return Value(std::move(out));
  }

  Result<Value> strings(uint64_t count) {
    HYMT_TRY(check_count(count, 8));
    std::vector<std::string> out;
    out.reserve(count);
    for (uint64_t i = 0; i < count; ++i) out.emplace_back(HYMT_TRY(string()));
    return Value(std::move(out));
  }

  Result<std::string_view> string() {
    uint64_t size = 0;
    std::string_view text;
    if (!in_.take(size)) return truncated();
    if (!in_.take(text, size)) {
      return refuse(in_quotes(key_) + " claims a string of " + std::to_string(size) +
                    " bytes; the file has " + std::to_string(in_.left()) + " left");
    }
    return text;
  }

  tl::unexpected<Error> bad_bool(uint8_t byte) const {
    return refuse(in_quotes(key_) + " has the truth value " + std::to_string(byte) +
                  ", not 0 or 1");
  }

  ByteReader& in_;
  const std::string& path_;
  std::string key_;  // the pair being read
};

}  // namespace

tl::unexpected<Error> cut_short(const ByteReader& in, const std::string& path,
                                const std::string& field) {
  return fail(Code::invalid_argument,
              path + ": the file ends inside " + field + " (byte " +
                  std::to_string(in.at() + in.left()) + "): it is cut short; fetch it again",
              field);
}

Result<std::string_view> read_string(ByteReader& in, const std::string& path, const char* field) {
  uint64_t size = 0;
  std::string_view text;
  if (!in.take(size)) return cut_short(in, path, field);
  if (!in.take(text, size)) {
    return fail(Code::invalid_argument,
                path + ": " + field + " claims " + std::to_string(size) + " bytes; the file has " +
                    std::to_string(in.left()) + " left",
                field);
  }
  return text;
}

Result<Metadata> read_metadata(ByteReader& in, uint64_t count, const std::string& path) {
  if (count > in.left() / kSmallestPair) {
    return fail(Code::invalid_argument,
                path + ": the metadata count is " + std::to_string(count) +
                    ", more than the file's size allows",
                "metadata count");
  }
  Metadata out{.values = {}, .alignment = kDefaultAlignment};
  Reader reader(in, path);
  for (uint64_t i = 0; i < count; ++i) HYMT_TRY(reader.pair(out));
  return out;
}

}  // namespace hymt::checkpoint::gguf
