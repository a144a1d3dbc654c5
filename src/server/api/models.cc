// GET /v1/models: what is loaded, in the envelope that clients of the OpenAI API expect on this
// path, with what a translator wants to know inside.
#include <cmath>
#include <ctime>

#include "server/api/errors.h"
#include "server/api/json.h"
#include "server/api/routes.h"

namespace hymt::server::api {
namespace {

Json to_json(const translate::ModelInfo& info, std::time_t since, const std::string& alias) {
  Json languages = Json::array();
  for (const auto* language : info.languages) languages.push_back(language->code);
  const auto rounded = [](float value) { return std::round(value * 1e6) / 1e6; };
  return {{"id", info.name},
          {"object", "model"},
          {"created", since},
          {"owned_by", "hymt"},
          {"name", info.name},
          {"alias", alias.empty() ? Json() : Json(alias)},
          {"generation", info.generation},
          {"languages", std::move(languages)},
          {"max_input_tokens", info.max_input_tokens},
          {"recommended",
           {{"temperature", rounded(info.recommended.temperature)},
            {"top_k", info.recommended.top_k},
            {"top_p", rounded(info.recommended.top_p)},
            {"repetition_penalty", rounded(info.recommended.repetition_penalty)}}}};
}

}  // namespace

void add_models(http::Site& site, const Context& context) {
  const auto answer =
      [&context, since = std::time(nullptr)](const std::shared_ptr<http::Exchange>& exchange) {
        const auto facade = facade_for(context, *exchange);
        if (!facade) return;
        exchange->respond(
            json_reply({{"object", "list"},
                        {"data", Json::array({to_json(facade->info(), since, context.alias)})}}));
      };
  site.add(http::Route{"GET", "/v1/models", answer, &kNativeErrors});
}

}  // namespace hymt::server::api
