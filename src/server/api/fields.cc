#include "server/api/fields.h"

#include <charconv>

namespace hymt::server::api {
namespace {

std::string written(double value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

template <class T>
std::string between(T min, T max) {
  if constexpr (std::is_same_v<T, double>) return written(min) + " to " + written(max);
  return std::to_string(min) + " to " + std::to_string(max);
}

// Whether an integer of the JSON, signed or not, lies in the range.
bool in_range(const Json& value, int64_t min, int64_t max) {
  if (value.is_number_unsigned()) {
    const auto number = value.get<uint64_t>();
    return number <= static_cast<uint64_t>(INT64_MAX) && static_cast<int64_t>(number) >= min &&
           static_cast<int64_t>(number) <= max;
  }
  const auto number = value.get<int64_t>();
  return number >= min && number <= max;
}

}  // namespace

const Json* Fields::take(const char* name) {
  known_.insert(name);
  const auto found = object_.find(name);
  return found == object_.end() || found->is_null() ? nullptr : &*found;
}

void Fields::refuse(const char* name, std::string message, Code code) {
  if (!error_) error_ = Error{code, std::string(name) + " " + std::move(message), name};
}

std::optional<std::string> Fields::text(const char* name) {
  const Json* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  refuse(name, "must be a string");
  return std::nullopt;
}

std::optional<bool> Fields::boolean(const char* name) {
  const Json* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_boolean()) return value->get<bool>();
  refuse(name, "must be true or false");
  return std::nullopt;
}

std::optional<int64_t> Fields::integer(const char* name, int64_t min, int64_t max) {
  const Json* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_number_integer() && in_range(*value, min, max)) return value->get<int64_t>();
  refuse(name, "must be an integer from " + between(min, max));
  return std::nullopt;
}

std::optional<uint64_t> Fields::natural(const char* name) {
  const Json* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_number_unsigned()) return value->get<uint64_t>();
  refuse(name, "must be an integer from 0 to 18446744073709551615");
  return std::nullopt;
}

std::optional<double> Fields::number(const char* name, double min, double max) {
  const Json* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_number() && value->get<double>() >= min && value->get<double>() <= max) {
    return value->get<double>();
  }
  refuse(name, "must be a number from " + between(min, max));
  return std::nullopt;
}

std::optional<std::vector<std::string>> Fields::texts(const char* name, size_t max) {
  const Json* value = take(name);
  if (!value) return std::nullopt;
  if (value->is_string()) return std::vector<std::string>{value->get<std::string>()};
  std::vector<std::string> out;
  const bool array = value->is_array() && !value->empty() && value->size() <= max;
  if (array) {
    for (const Json& one : *value) {
      if (one.is_string()) out.push_back(one.get<std::string>());
    }
    if (out.size() == value->size()) return out;
  }
  refuse(name, "must be a string or an array of 1 to " + std::to_string(max) + " strings");
  return std::nullopt;
}

std::optional<std::vector<std::pair<std::string, std::string>>> Fields::map(const char* name,
                                                                            size_t max) {
  const Json* value = take(name);
  if (!value) return std::nullopt;
  std::vector<std::pair<std::string, std::string>> out;
  if (value->is_object() && value->size() <= max) {
    for (const auto& [key, one] : value->items()) {
      if (one.is_string() && !key.empty()) out.emplace_back(key, one.get<std::string>());
    }
    if (out.size() == value->size()) return out;
  }
  refuse(name,
         "must be an object of at most " + std::to_string(max) + " strings, with no empty key");
  return std::nullopt;
}

std::optional<std::string> Fields::one_of(const char* name,
                                          std::initializer_list<const char*> values) {
  const Json* value = take(name);
  if (!value) return std::nullopt;
  std::string list;
  for (const char* allowed : values) {
    if (value->is_string() && value->get_ref<const std::string&>() == allowed) return allowed;
    list.append(list.empty() ? "\"" : ", \"").append(allowed).append("\"");
  }
  refuse(name, "must be one of " + list);
  return std::nullopt;
}

Result<void> Fields::done() const {
  if (error_) return tl::unexpected(*error_);
  for (const auto& [key, value] : object_.items()) {
    if (!known_.contains(key)) {
      return fail(Code::invalid_argument, "there is no such field: check its spelling", key);
    }
  }
  return {};
}

}  // namespace hymt::server::api
