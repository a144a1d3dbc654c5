// POST /v1/detect: {"text": a string or an array} -> {"detections": [{"language", "confidence"}]}.
#include "server/api/errors.h"
#include "server/api/fields.h"
#include "server/api/routes.h"
#include "server/api/translate_request.h"

namespace hymt::server::api {
namespace {

Result<Json> detections(const http::Request& request, const translate::Facade& facade) {
  const Json body = HYMT_TRY(read_object(request));
  Fields fields(body);
  const auto texts = fields.texts("text", kMaxTexts);
  if (!texts) fields.refuse("text", "is missing");
  HYMT_TRY(fields.done());
  Json list = Json::array();
  for (const std::string& text : *texts) {
    const translate::Detection found = facade.detect(text);
    list.push_back({{"language", found.language.empty() ? Json() : Json(found.language)},
                    {"confidence", found.confidence}});
  }
  return Json{{"detections", std::move(list)}};
}

}  // namespace

void add_detect(http::Site& site, const Context& context) {
  const auto answer = [&context](const std::shared_ptr<http::Exchange>& exchange) {
    const auto facade = facade_for(context, *exchange);
    if (!facade) return;
    const auto reply = detections(exchange->request(), *facade);
    if (reply) {
      exchange->respond(json_reply(*reply));
    } else {
      exchange->fail(reply.error());
    }
  };
  site.add(http::Route{"POST", "/v1/detect", answer, &kNativeErrors, true});
}

}  // namespace hymt::server::api
