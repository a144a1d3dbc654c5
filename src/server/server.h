// The service: the native API, the page and the HTTP server, put together.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/metrics.h"
#include "base/result.h"
#include "server/assets.h"
#include "server/http/options.h"
#include "translate/facade.h"

namespace hymt::server {

struct Options {
  std::string host = "127.0.0.1";
  uint16_t port = 7860;                        // 0: a free one
  std::chrono::milliseconds deadline{30'000};  // of requests that name none
  std::string model_alias;  // accepted as `model` in requests beside the model's own name
  std::vector<std::string> public_names;  // under which a proxy offers this service
  http::Options http;
};

// One thread at a time, except set_translator(), which may come from any.
class Server {
 public:
  // All references, and the assets' bytes, outlive the server.
  Server(const Options& options, const std::vector<Asset>& assets, metrics::Registry& metrics,
         Log& log);
  ~Server();  // stops without waiting

  // Binds and begins to answer: /health at once, the rest with 503 until there is a translator.
  // invalid_argument says what to change (see http::Server::listen).
  Result<void> start();

  void set_translator(std::shared_ptr<translate::Facade> facade);

  uint16_t port() const;
  std::string url() const;  // "http://127.0.0.1:7860"

  // Accepts nothing new, lets requests under way end for at most `grace`, answers the rest 503,
  // and stops.
  void drain(std::chrono::milliseconds grace);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hymt::server
