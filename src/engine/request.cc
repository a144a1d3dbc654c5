#include "engine/request.h"

#include <array>

namespace hymt::engine {

std::string_view name(FinishReason reason) {
  // In the order of FinishReason.
  constexpr std::array<std::string_view, 5> kNames = {"stop", "length", "loop", "cancelled",
                                                      "deadline"};
  return kNames[static_cast<size_t>(reason)];
}

}  // namespace hymt::engine
