// Text from a file or a request, made fit for a one-line message. Pure.
#pragma once

#include <string>
#include <string_view>

namespace hymt {

// 'text' in quotes, its control characters and ill-formed bytes replaced, cut after `limit` bytes.
std::string in_quotes(std::string_view text, size_t limit = 80);

}  // namespace hymt
