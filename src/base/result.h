// Errors as values. Every border (file, request, peer) returns a Result; nothing here throws.
//
// src/base is the one folder whose names live directly in namespace hymt.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace hymt {

// What went wrong, as a caller needs to know it. Maps one to one to HTTP (http_status).
enum class Code {
  invalid_argument,    // 400: malformed, wrong type, out of range
  unauthenticated,     // 401
  forbidden,           // 403
  not_found,           // 404
  method_not_allowed,  // 405
  too_large,           // 413
  unsupported,         // 422: understood, but this model or build cannot do it
  queue_full,          // 429: try again later
  internal,            // 500: our bug, or the machine's
  unavailable,         // 503: loading, draining or restarting
  deadline,            // 504
};

// "invalid_argument", "queue_full"...: the `code` of an error reply.
std::string_view name(Code code);
int http_status(Code code);

struct Error {
  Code code = Code::internal;
  std::string message;  // one line that says what is wrong and what to do
  std::string field;    // the request's field, the file's key, or empty
  int retry_after = 0;  // seconds after which another try may succeed; 0: nothing is known
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(Code code, std::string message, std::string field = {}) {
  return tl::unexpected<Error>(Error{code, std::move(message), std::move(field)});
}

}  // namespace hymt

// The value of a Result, or return its error from this function:
//   auto config = HYMT_TRY(read_config(file));
// The variable is numbered so that uses nest without shadowing.
#define HYMT_TRY(expression) HYMT_TRY_IN(expression, __COUNTER__)
#define HYMT_TRY_IN(expression, n) HYMT_TRY_AS(expression, n)
#define HYMT_TRY_AS(expression, n)                                                \
  __extension__({                                                                 \
    auto hymt_result_##n = (expression);                                          \
    if (!hymt_result_##n)                                                         \
      return ::tl::unexpected<::hymt::Error>(std::move(hymt_result_##n).error()); \
    ::hymt::internal::take(hymt_result_##n);                                      \
  })

namespace hymt::internal {
template <class T>
T take(Result<T>& result) {
  if constexpr (!std::is_void_v<T>) return *std::move(result);
}
}  // namespace hymt::internal
