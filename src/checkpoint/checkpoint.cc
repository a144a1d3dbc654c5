#include "checkpoint/checkpoint.h"

#include <cmath>
#include <limits>

namespace hymt::checkpoint {
namespace {

Error wrong_type(const Checkpoint& checkpoint, const std::string& key, const char* wanted) {
  return {Code::invalid_argument, checkpoint.path + ": " + key + " is not " + wanted, key};
}

const Value* find_value(const Checkpoint& checkpoint, const std::string& key) {
  const auto at = checkpoint.metadata.find(key);
  return at == checkpoint.metadata.end() ? nullptr : &at->second;
}

template <class T>
Result<T> required(const Checkpoint& checkpoint, const std::string& key,
                   Result<T> (*convert)(const Checkpoint&, const std::string&, const Value&)) {
  const Value* value = find_value(checkpoint, key);
  if (!value) return fail(Code::invalid_argument, checkpoint.path + ": no key " + key, key);
  return convert(checkpoint, key, *value);
}

Result<int64_t> as_int(const Checkpoint& checkpoint, const std::string& key, const Value& value) {
  if (const auto* i = std::get_if<int64_t>(&value)) return *i;
  if (const auto* u = std::get_if<uint64_t>(&value)) {
    if (*u <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())) {
      return static_cast<int64_t>(*u);
    }
  }
  return tl::unexpected(wrong_type(checkpoint, key, "an integer"));
}

Result<double> as_number(const Checkpoint& checkpoint, const std::string& key, const Value& value) {
  if (const auto* d = std::get_if<double>(&value)) {
    if (std::isfinite(*d)) return *d;
  } else if (const auto i = as_int(checkpoint, key, value)) {
    return static_cast<double>(*i);
  }
  return tl::unexpected(wrong_type(checkpoint, key, "a finite number"));
}

Result<std::string> as_string(const Checkpoint& checkpoint, const std::string& key,
                              const Value& value) {
  if (const auto* s = std::get_if<std::string>(&value)) return *s;
  return tl::unexpected(wrong_type(checkpoint, key, "a string"));
}

}  // namespace

const Tensor* Checkpoint::find(std::string_view tensor) const {
  for (const Tensor& one : tensors) {
    if (one.name == tensor) return &one;
  }
  return nullptr;
}

Result<int64_t> get_int(const Checkpoint& checkpoint, const std::string& key) {
  return required(checkpoint, key, as_int);
}

Result<double> get_number(const Checkpoint& checkpoint, const std::string& key) {
  return required(checkpoint, key, as_number);
}

Result<std::string> get_string(const Checkpoint& checkpoint, const std::string& key) {
  return required(checkpoint, key, as_string);
}

Result<int64_t> get_int_or(const Checkpoint& checkpoint, const std::string& key, int64_t value) {
  return find_value(checkpoint, key) ? get_int(checkpoint, key) : Result<int64_t>(value);
}

Result<double> get_number_or(const Checkpoint& checkpoint, const std::string& key, double value) {
  return find_value(checkpoint, key) ? get_number(checkpoint, key) : Result<double>(value);
}

Result<std::string> get_string_or(const Checkpoint& checkpoint, const std::string& key,
                                  const std::string& value) {
  return find_value(checkpoint, key) ? get_string(checkpoint, key) : Result<std::string>(value);
}

}  // namespace hymt::checkpoint
