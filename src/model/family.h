// The two families of special tokens that the models speak with. Source: the publisher's
// tokenizers and chat templates.
#pragma once

#include <array>
#include <span>
#include <string_view>

namespace hymt::model {

// Texts of special tokens. Ids differ between vocabularies of one family, so only texts tell.
struct Family {
  std::string_view name;
  std::string_view bos;
  std::string_view system_end;
  std::string_view user_start;  // empty: the family has none
  std::string_view user_end;
  std::string_view answer_end;
  std::span<const std::string_view> guards;  // ends an answer as well; may be missing
};

std::span<const Family> families();

}  // namespace hymt::model
