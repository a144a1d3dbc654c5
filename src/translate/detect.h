// In which of our languages a text is written: by script first, then by letters that only one
// language has, then by CLD2's statistics.
#pragma once

#include <string_view>

#include "translate/han.h"
#include "translate/profiles.h"
#include "translate/request.h"

namespace hymt::translate {

// Immutable; any thread. Work is bounded: only the head of a long text is read.
class Detector {
 public:
  // An empty language: no letters at all, or a language that is none of ours. `text` must be
  // valid UTF-8.
  Detection detect(std::string_view text) const;

 private:
  HanDetector han_;
  Profiles profiles_;
};

}  // namespace hymt::translate
