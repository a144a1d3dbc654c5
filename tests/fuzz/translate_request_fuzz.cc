// Any bytes as the body of POST /v1/translate: an error that names something, or a call within its
// bounds. Never a crash.
#include <cstdint>

#include "base/check.h"
#include "base/utf8.h"
#include "server/api/translate_request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hymt;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto json = server::api::parse_json(bytes);
  if (!json) {
    HYMT_CHECK(json.error().code == Code::invalid_argument && !json.error().message.empty());
    return 0;
  }
  HYMT_CHECK(utf8::valid(server::api::to_text(*json)));
  if (!json->is_object()) return 0;
  const auto call = server::api::parse_translate(*json);
  if (!call) {
    HYMT_CHECK(call.error().code == Code::invalid_argument ||
               call.error().code == Code::unsupported);
    HYMT_CHECK(json->contains(call.error().field) || call.error().field == "text" ||
               call.error().field == "target");
    return 0;
  }
  const auto& request = call->request;
  const auto& params = request.params;
  HYMT_CHECK(!request.texts.empty() && request.texts.size() <= server::api::kMaxTexts);
  for (const auto& text : request.texts) HYMT_CHECK(utf8::valid(text));
  for (const auto& stop : request.stop) HYMT_CHECK(!stop.empty());
  HYMT_CHECK(!request.target.empty());
  HYMT_CHECK(request.alternatives >= 0 && request.alternatives <= 8);
  HYMT_CHECK(params.beams >= 1 && params.beams <= 8);
  HYMT_CHECK(params.max_tokens >= 1 && params.min_tokens <= params.max_tokens);
  HYMT_CHECK(params.temperature >= 0 && params.temperature <= 2);
  HYMT_CHECK(params.top_p > 0 && params.top_p <= 1);
  HYMT_CHECK(params.repetition_penalty > 0);
  return 0;
}
