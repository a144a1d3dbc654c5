#include "translate/request.h"

#include <algorithm>
#include <array>

namespace hymt::translate {

using engine::FinishReason;

FinishReason worse(FinishReason a, FinishReason b) {
  constexpr std::array kOrder = {FinishReason::stop, FinishReason::length, FinishReason::loop,
                                 FinishReason::deadline, FinishReason::cancelled};
  const auto rank = [&](FinishReason reason) {
    return std::find(kOrder.begin(), kOrder.end(), reason);
  };
  return rank(a) < rank(b) ? b : a;
}

}  // namespace hymt::translate
