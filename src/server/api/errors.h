// Errors as the native API writes them: {"error": {"code", "message", "field"}}.
#pragma once

#include "server/http/exchange.h"

namespace hymt::server::api {

extern const http::ErrorFormat kNativeErrors;

}  // namespace hymt::server::api
