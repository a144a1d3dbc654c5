#include "server/api/json.h"

#include <set>
#include <vector>

#include "base/utf8.h"

namespace hymt::server::api {
namespace {

// Our deepest request is an array of strings in an object; later ones hold messages with parts.
constexpr int kMaxDepth = 16;

struct Refused {
  Error error;
};

// Sees every token while the library parses; throws Refused, which does not leave this file.
class Watch {
 public:
  bool operator()(int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      if (depth >= kMaxDepth) refuse("the JSON is nested too deeply");
      keys_.emplace_back();
    } else if (event == Event::object_end || event == Event::array_end) {
      keys_.pop_back();
    } else if (event == Event::key) {
      const auto& key = parsed.get_ref<const std::string&>();
      if (!keys_.back().insert(key).second) refuse("the key is given twice", key);
    }
    return true;
  }

 private:
  [[noreturn]] static void refuse(std::string message, std::string field = {}) {
    throw Refused{{Code::invalid_argument, std::move(message), std::move(field)}};
  }

  std::vector<std::set<std::string>> keys_;  // of the objects around the current token
};

std::string explain(const Json::parse_error& error) {
  // The library's message quotes the text, which may be private or not printable.
  const std::string_view what = error.what();
  const bool surrogate = what.find("surrogate") != std::string_view::npos;
  return "the body is not valid JSON at byte " + std::to_string(error.byte) +
         (surrogate ? ": half of a surrogate pair" : "");
}

}  // namespace

Result<Json> parse_json(std::string_view text) {
  if (const size_t at = utf8::find_invalid(text); at != std::string_view::npos) {
    return fail(Code::invalid_argument,
                "the body is not valid UTF-8 at byte " + std::to_string(at + 1));
  }
  try {
    return Json::parse(text, Watch());
  } catch (const Refused& refused) {
    return tl::unexpected(refused.error);
  } catch (const Json::parse_error& error) {
    return fail(Code::invalid_argument, explain(error));
  } catch (const Json::exception&) {
    return fail(Code::invalid_argument, "the body holds a number out of range");
  }
}

Result<Json> read_object(const http::Request& request) {
  const auto header = request.header("Content-Type");
  const auto type = http::trimmed(header.substr(0, header.find(';')));
  if (!type.empty() && !http::equal_ignoring_case(type, "application/json")) {
    return fail(Code::invalid_argument, "send JSON, with Content-Type: application/json");
  }
  if (request.body.empty()) {
    return fail(Code::invalid_argument, "the body is empty: send a JSON object");
  }
  auto json = HYMT_TRY(parse_json(request.body));
  if (!json.is_object()) return fail(Code::invalid_argument, "the body must be a JSON object");
  return json;
}

std::string to_text(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

http::Response json_reply(const Json& json) {
  http::Response response;
  response.content_type = "application/json";
  response.headers = {{"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}};
  response.body = to_text(json);
  return response;
}

}  // namespace hymt::server::api
