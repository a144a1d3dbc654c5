#include "base/result.h"

#include <array>

namespace hymt {
namespace {

struct Row {
  std::string_view name;
  int status;
};

// In the order of Code.
constexpr std::array<Row, 11> kRows = {{{"invalid_argument", 400},
                                        {"unauthenticated", 401},
                                        {"forbidden", 403},
                                        {"not_found", 404},
                                        {"method_not_allowed", 405},
                                        {"too_large", 413},
                                        {"unsupported", 422},
                                        {"queue_full", 429},
                                        {"internal", 500},
                                        {"unavailable", 503},
                                        {"deadline", 504}}};

}  // namespace

std::string_view name(Code code) {
  return kRows[static_cast<size_t>(code)].name;
}
int http_status(Code code) {
  return kRows[static_cast<size_t>(code)].status;
}

}  // namespace hymt
