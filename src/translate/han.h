// Who wrote a text in Chinese characters: Chinese in either form, Cantonese, or Japanese.
#pragma once

#include <memory>
#include <mutex>
#include <string_view>

#include "translate/scripts.h"

namespace hymt::translate {

// Immutable but for tables that are built when first needed (some 100 ms); any thread. Which
// characters stand in one form of Chinese only is known from ICU's conversion tables.
class HanDetector {
 public:
  HanDetector();
  ~HanDetector();

  // "zh", "zh-Hant", "yue" or "ja" for a text whose main script is Han or kana. Where nothing tells
  // ("你好" is the same in both forms) it is "zh".
  std::string_view detect(std::string_view text, const ScriptCounts& counts) const;

 private:
  struct Tables;
  const Tables& tables() const;

  mutable std::once_flag once_;
  mutable std::unique_ptr<const Tables> tables_;
};

}  // namespace hymt::translate
