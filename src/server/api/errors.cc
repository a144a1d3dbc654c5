#include "server/api/errors.h"

#include "base/utf8.h"
#include "server/api/events.h"
#include "server/api/json.h"

namespace hymt::server::api {
namespace {

// Seconds; 0: trying again would not help. A model loads, or a server restarts, in a few.
int retry_after(const Error& error) {
  if (error.retry_after > 0) return error.retry_after;
  if (error.code == Code::queue_full) return 1;
  if (error.code == Code::unavailable) return 3;
  return 0;
}

// A field may be a key of the client's own making: a few words of it are enough.
constexpr size_t kLongestField = 80;

Json to_json(const Error& error) {
  std::string_view field = std::string_view(error.field).substr(0, kLongestField);
  field = field.substr(0, utf8::complete_prefix(field));
  Json body;
  body["code"] = name(error.code);
  body["message"] = error.message;
  body["field"] = field.empty() ? Json() : Json(field);
  return {{"error", std::move(body)}};
}

http::Response reply(const Error& error) {
  http::Response response = json_reply(to_json(error));
  response.status = http_status(error.code);
  if (const int seconds = retry_after(error); seconds > 0) {
    response.headers.emplace_back("Retry-After", std::to_string(seconds));
  }
  return response;
}

std::string event(const Error& error) {
  return event_of(to_json(error));
}

}  // namespace

const http::ErrorFormat kNativeErrors{reply, event};

}  // namespace hymt::server::api
