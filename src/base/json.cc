#include "base/json.h"

#include <nlohmann/json.hpp>

namespace hymt {
namespace {

constexpr int kMaxDepth = 64;

// The offset at which brackets nest too deep, or npos. Text that is no JSON may give either.
size_t find_too_deep(std::string_view text) {
  int depth = 0;
  bool in_string = false;
  for (size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (in_string) {
      if (c == '\\') ++at;
      if (c == '"') in_string = false;
    } else if (c == '"') {
      in_string = true;
    } else if (c == '[' || c == '{') {
      if (++depth > kMaxDepth) return at;
    } else if (c == ']' || c == '}') {
      --depth;
    }
  }
  return std::string_view::npos;
}

}  // namespace

Result<nlohmann::json> parse_json(std::string_view text, const std::string& source) {
  if (const size_t at = find_too_deep(text); at != std::string_view::npos) {
    return fail(Code::invalid_argument, source + ": nested deeper than " +
                                            std::to_string(kMaxDepth) + " at byte " +
                                            std::to_string(at));
  }
  try {
    return nlohmann::json::parse(text.begin(), text.end());
  } catch (const nlohmann::json::parse_error& error) {
    return fail(Code::invalid_argument,
                source + ": not JSON, at byte " + std::to_string(error.byte));
  } catch (const nlohmann::json::exception&) {
    return fail(Code::invalid_argument, source + ": not JSON: a number is out of range");
  }
}

}  // namespace hymt
