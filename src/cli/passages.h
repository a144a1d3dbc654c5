// A long text translated in passages of some lines, several at a time, its answer in order.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "translate/facade.h"

namespace hymt::cli {

// Byte ranges that cover the text, each of whole lines and of about `size` bytes (a longer line is
// one passage).
std::vector<std::string_view> passages(std::string_view text, size_t size);

struct Events {
  // Text of the answer in order, whole characters, on the caller's thread.
  std::function<void(std::string_view)> on_text = [](std::string_view) {};
  std::function<void(size_t done, size_t total)> on_progress = [](size_t, size_t) {};  // bytes
};

// `request` without its texts. One translation as if the text had gone in one request: a source
// "auto" is decided once for the whole text; warnings are told once. The memory of what is under
// way is bounded.
Result<translate::Reply> translate_long(translate::Facade& facade, translate::Request request,
                                        std::string_view text, const Events& events);

}  // namespace hymt::cli
