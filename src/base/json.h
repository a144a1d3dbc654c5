// JSON from a file or a peer, parsed without surprises. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace hymt {

// invalid_argument, naming `source` and the byte, for what is no JSON, is not valid UTF-8, or is
// nested deeper than 64. A byte of text costs at most some 20 bytes of memory: bound the text.
Result<nlohmann::json> parse_json(std::string_view text, const std::string& source);

}  // namespace hymt
