// The languages the family speaks. Source: the publisher's model cards.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace hymt::translate {

struct Language {
  std::string_view code;     // "zh-Hant"
  std::string_view english;  // "Traditional Chinese": its name in an English prompt
  std::string_view chinese;  // "繁体中文": its name in a Chinese prompt
  std::string_view native;   // "繁體中文": what its readers call it
  bool right_to_left = false;
};

std::span<const Language> languages();  // all 38

// By code, without regard to case, and by usual aliases (zh-CN, zh-TW, zh_Hant, fil, iw …).
const Language* find_language(std::string_view code);

}  // namespace hymt::translate
