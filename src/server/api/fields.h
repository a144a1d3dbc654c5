// The fields of a JSON object, taken one by one with their types and ranges. The first fault is
// kept, so that a parser reads as a list of fields; done() tells it, or names a field nobody took.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "server/api/json.h"

namespace hymt::server::api {

// Single-threaded; the object outlives it. A field that is absent or null is nullopt.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}

  std::optional<std::string> text(const char* name);
  std::optional<bool> boolean(const char* name);
  std::optional<int64_t> integer(const char* name, int64_t min, int64_t max);
  std::optional<uint64_t> natural(const char* name);  // up to 2^64 - 1
  std::optional<double> number(const char* name, double min, double max);
  // A string, or an array of them.
  std::optional<std::vector<std::string>> texts(const char* name, size_t max);
  // An object of strings, in the order of its keys.
  std::optional<std::vector<std::pair<std::string, std::string>>> map(const char* name, size_t max);
  std::optional<std::string> one_of(const char* name, std::initializer_list<const char*> values);

  bool has(const char* name) const { return object_.contains(name); }

  // Refuses the field; the first refusal counts.
  void refuse(const char* name, std::string message, Code code = Code::invalid_argument);

  Result<void> done() const;

 private:
  const Json* take(const char* name);

  const Json& object_;
  std::set<std::string_view> known_;
  std::optional<Error> error_;
};

}  // namespace hymt::server::api
