// The two families of special tokens that the models speak with. Source: the publisher's
// tokenizers and chat templates.
#pragma once

#include <span>
#include <string_view>

#include "tokenizer/vocabulary.h"

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

// The family whose template the vocabulary can write, or null. Only control tokens count.
const Family* find_family(const tokenizer::Vocabulary& vocabulary);

// The control token with this text, or -1.
tokenizer::Token find_control(const tokenizer::Vocabulary& vocabulary, std::string_view text);

}  // namespace hymt::model
