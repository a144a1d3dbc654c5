// The body of POST /v1/translate. A pure function of the bytes, so that it can be fuzzed.
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "base/result.h"
#include "server/api/json.h"
#include "translate/request.h"

namespace hymt::server::api {

inline constexpr size_t kMaxTexts = 1024;
inline constexpr size_t kMaxGlossary = 1000;
inline constexpr size_t kMaxStops = 16;

struct TranslateCall {
  translate::Request request;  // without client, deadline and, unless `seeded`, seed
  bool stream = false;
  bool recommended = false;                                // "sampling": the model card's values,
  bool temperature = false, top_k = false, top_p = false,  // except those that are given
      repetition_penalty = false;
  bool seeded = false;
  std::string model;  // empty: whichever is loaded
  std::optional<std::chrono::milliseconds> deadline;
};

// invalid_argument names the field that is missing, unknown, of the wrong type or out of range;
// unsupported: a format this build does not read.
Result<TranslateCall> parse_translate(const Json& object);

}  // namespace hymt::server::api
