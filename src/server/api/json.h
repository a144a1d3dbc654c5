// JSON from strangers, read strictly: what two readers could understand differently is refused.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "base/result.h"
#include "server/http/message.h"

namespace hymt::server::api {

using Json = nlohmann::json;

// invalid_argument: not UTF-8, not JSON, a lone surrogate, a key given twice, a number out of
// range, or nested deeper than anything we understand.
Result<Json> parse_json(std::string_view text);

// The object in the body of a request; checks the content type too (none at all is taken for
// JSON, as simple clients send it).
Result<Json> read_object(const http::Request& request);

// Never fails: what is not UTF-8 is written as U+FFFD.
std::string to_text(const Json& json);

http::Response json_reply(const Json& json);

}  // namespace hymt::server::api
