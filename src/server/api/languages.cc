// GET /v1/languages: all that the family speaks, and which of them the model in service can do.
#include <algorithm>

#include "server/api/errors.h"
#include "server/api/json.h"
#include "server/api/routes.h"

namespace hymt::server::api {
namespace {

Json to_json(const translate::Language& language, const translate::ModelInfo& info) {
  const bool supported =
      std::find(info.languages.begin(), info.languages.end(), &language) != info.languages.end();
  return {{"code", language.code},         {"english", language.english},
          {"chinese", language.chinese},   {"native", language.native},
          {"rtl", language.right_to_left}, {"supported", supported}};
}

}  // namespace

void add_languages(http::Site& site, const Context& context) {
  const auto answer = [&context](const std::shared_ptr<http::Exchange>& exchange) {
    const auto facade = facade_for(context, *exchange);
    if (!facade) return;
    Json list = Json::array();
    for (const auto& language : translate::languages()) {
      list.push_back(to_json(language, facade->info()));
    }
    exchange->respond(json_reply({{"languages", std::move(list)}}));
  };
  site.add(http::Route{"GET", "/v1/languages", answer, &kNativeErrors});
}

}  // namespace hymt::server::api
