#include "model/family.h"

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

}  // namespace hymt::model
