// Translations as JSON of the native API.
#pragma once

#include "server/api/json.h"
#include "translate/request.h"

namespace hymt::server::api {

Json to_json(const translate::Translation& translation);
Json to_json(const translate::Reply& reply);

}  // namespace hymt::server::api
