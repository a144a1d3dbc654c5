#include "server/api/reply.h"

namespace hymt::server::api {

Json to_json(const translate::Translation& translation) {
  return {{"text", translation.text},
          {"source", translation.source},
          {"detected", translation.detected},
          {"finish_reason", engine::name(translation.finish_reason)},
          {"cached", translation.cached},
          {"warnings", translation.warnings},
          {"alternatives", translation.alternatives}};
}

Json to_json(const translate::Reply& reply) {
  Json translations = Json::array();
  for (const auto& translation : reply.translations) {
    translations.push_back(to_json(translation));
  }
  return {
      {"translations", std::move(translations)},
      {"model", reply.model},
      {"usage",
       {{"input_tokens", reply.usage.input_tokens}, {"output_tokens", reply.usage.output_tokens}}}};
}

}  // namespace hymt::server::api
