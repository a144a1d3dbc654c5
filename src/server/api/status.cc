// GET /health, /ready, /metrics: for whoever runs the service. None of them waits on the engine.
#include "server/api/errors.h"
#include "server/api/json.h"
#include "server/api/routes.h"

namespace hymt::server::api {

std::shared_ptr<translate::Facade> facade_for(const Context& context, http::Exchange& exchange) {
  auto facade = context.backend.current();
  if (facade) return *std::move(facade);
  exchange.fail(facade.error());
  return nullptr;
}

void add_status(http::Site& site, const Context& context) {
  using ExchangePtr = std::shared_ptr<http::Exchange>;
  const auto health = [](const ExchangePtr& exchange) {
    exchange->respond(json_reply({{"status", "ok"}}));
  };
  const auto ready = [&context](const ExchangePtr& exchange) {
    const auto facade = facade_for(context, *exchange);
    if (!facade) return;
    exchange->respond(json_reply({{"status", "ready"}, {"model", facade->info().name}}));
  };
  const auto metrics = [&context](const ExchangePtr& exchange) {
    http::Response response;
    response.content_type = "text/plain; version=0.0.4; charset=utf-8";
    response.headers = {{"X-Content-Type-Options", "nosniff"}, {"Cache-Control", "no-store"}};
    response.body = context.metrics.render();
    exchange->respond(std::move(response));
  };
  site.add(http::Route{"GET", "/health", health, &kNativeErrors});
  site.add(http::Route{"GET", "/ready", ready, &kNativeErrors});
  site.add(http::Route{"GET", "/metrics", metrics, &kNativeErrors});
}

}  // namespace hymt::server::api
