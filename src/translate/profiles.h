// Languages that share a script, told apart: frequent words and letters of their own, weighed
// together with what CLD2 says. CLD2 alone is weak where a service needs it most, on sentences of
// a few words.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "translate/scripts.h"

namespace hymt::translate {

struct Verdict {
  std::string_view code;  // ours; empty: another language
  double certainty = 0;   // 0 to 1
};

// Immutable after construction; any thread.
class Profiles {
 public:
  Profiles();

  // `script` is latin, cyrillic, arabic or devanagari.
  Verdict judge(Script script, std::string_view text) const;

 private:
  using Mask = uint32_t;  // one bit for each profile

  std::unordered_map<std::string_view, Mask> words_;
  std::unordered_map<char32_t, Mask> letters_;
};

}  // namespace hymt::translate
