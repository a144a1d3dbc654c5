#include "model/family.h"

#include <array>

namespace hymt::model {
namespace {

constexpr std::array<std::string_view, 2> k7bGuards = {"<|endoftext|>", "<|extra_5|>"};
constexpr std::array<std::string_view, 2> k1_8bGuards = {"<｜hy_place▁holder▁no▁8｜>",
                                                         "<｜hy_User｜>"};

constexpr std::array<Family, 2> kFamilies = {{
    {.name = "7B",
     .bos = "<|startoftext|>",
     .system_end = "<|extra_4|>",
     .user_start = "",
     .user_end = "<|extra_0|>",
     .answer_end = "<|eos|>",
     .guards = k7bGuards},
    {.name = "1.8B",
     .bos = "<｜hy_begin▁of▁sentence｜>",
     .system_end = "<｜hy_place▁holder▁no▁3｜>",
     .user_start = "<｜hy_User｜>",
     .user_end = "<｜hy_Assistant｜>",
     .answer_end = "<｜hy_place▁holder▁no▁2｜>",
     .guards = k1_8bGuards},
}};

}  // namespace

std::span<const Family> families() {
  return kFamilies;
}

const Family* find_family(const tokenizer::Vocabulary& vocabulary) {
  const auto has = [&](std::string_view text) { return find_control(vocabulary, text) >= 0; };
  for (const Family& family : kFamilies) {
    const bool user_start = family.user_start.empty() || has(family.user_start);
    if (user_start && has(family.bos) && has(family.user_end) && has(family.answer_end)) {
      return &family;
    }
  }
  return nullptr;
}

tokenizer::Token find_control(const tokenizer::Vocabulary& vocabulary, std::string_view text) {
  for (size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    if (vocabulary.kinds[id] == tokenizer::TokenKind::control && vocabulary.tokens[id] == text) {
      return static_cast<tokenizer::Token>(id);
    }
  }
  return -1;
}

}  // namespace hymt::model
