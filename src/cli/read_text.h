// Text from files and standard input, as the commands take it.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace hymt::cli {

// The whole file, or standard input for "-". Not valid UTF-8: invalid_argument, naming the place.
Result<std::string> read_text(const std::string& path);

// The same check for text that came otherwise; `what` names it.
Result<void> check_utf8(std::string_view text, const std::string& what);

// Lines "first<TAB>second"; blank lines and lines that begin with # are passed over. Anything else
// is an invalid_argument that names the line.
Result<std::vector<std::pair<std::string, std::string>>> read_pairs(const std::string& path);

}  // namespace hymt::cli
