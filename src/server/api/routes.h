// The routes of the native API; one function, one file.
#pragma once

#include <chrono>
#include <string>

#include "base/metrics.h"
#include "server/backend.h"
#include "server/http/site.h"

namespace hymt::server::api {

// What handlers share. It and the site outlive the server.
struct Context {
  Backend& backend;
  const metrics::Registry& metrics;
  std::chrono::milliseconds deadline;  // of requests that name none
  std::string alias;  // what the operator calls the model, beside its own name; may be empty
};

void add_translate(http::Site& site, const Context& context);  // POST /v1/translate
void add_detect(http::Site& site, const Context& context);     // POST /v1/detect
void add_languages(http::Site& site, const Context& context);  // GET /v1/languages
void add_models(http::Site& site, const Context& context);     // GET /v1/models
void add_status(http::Site& site, const Context& context);     // GET /health, /ready, /metrics

// The model in service, or its error already given to the client.
std::shared_ptr<translate::Facade> facade_for(const Context& context, http::Exchange& exchange);

}  // namespace hymt::server::api
