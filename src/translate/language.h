// The languages the family speaks. Source: the publisher's model cards.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hymt::translate {

struct Language {
  std::string_view code;     // "zh-Hant"
  std::string_view english;  // "Traditional Chinese": its name in an English prompt
  std::string_view chinese;  // "繁体中文": its name in a Chinese prompt
  std::string_view native;   // "繁體中文": what its readers call it
  bool right_to_left = false;
};

std::span<const Language> languages();  // all 38, in the order of the model cards

// By code, without regard to case, '_' as good as '-': the codes above, usual aliases (zh-CN,
// zh-TW, fil, iw, ISO 639-3 ...) and regional variants of a known language (en-US, es-419).
// nullptr: not one of ours.
const Language* find_language(std::string_view code);

// find_language(), or an invalid_argument that names `field` and lists the codes.
Result<const Language*> require_language(std::string_view code, const std::string& field);

// zh, zh-Hant and yue: a prompt from or into one of them is worded in Chinese.
bool is_chinese(const Language& language);

}  // namespace hymt::translate
