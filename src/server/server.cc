#include "server/server.h"

#include "server/api/errors.h"
#include "server/api/routes.h"
#include "server/backend.h"
#include "server/http/same_site.h"
#include "server/http/server.h"
#include "server/monitor.h"

namespace hymt::server {

class Server::Impl {
 public:
  Impl(const Options& options, const std::vector<Asset>& assets, metrics::Registry& metrics,
       Log& log)
      : options_(options),
        monitor_(metrics, log),
        context_{backend_, metrics, options.deadline, options.model_alias},
        site_(api::kNativeErrors, monitor_),
        http_(options.http, site_) {
    policy_.hosts = {http::host_name(options.host)};
    policy_.public_names = options.public_names;
    site_.add([this](http::Request& head) {
      return http::check_site(policy_, head.host, head.header("Origin"));
    });
    api::add_translate(site_, context_);
    api::add_detect(site_, context_);
    api::add_languages(site_, context_);
    api::add_models(site_, context_);
    api::add_status(site_, context_);
    add_assets(site_, assets);
    for (const std::string& label : site_.labels()) monitor_.add_label(label);
    metrics.gauge_function("hymt_http_connections", "Open connections.", {},
                           [this] { return static_cast<double>(http_.connections()); });
  }

  Result<void> start() {
    HYMT_TRY(http_.listen(options_.host, options_.port));
    policy_.check_host = http_.loopback_only();
    http_.start();
    return {};
  }

  const Options options_;
  Backend backend_;
  Monitor monitor_;
  const api::Context context_;
  http::SitePolicy policy_;  // fixed once started
  http::Site site_;
  http::Server http_;
};

Server::Server(const Options& options, const std::vector<Asset>& assets, metrics::Registry& metrics,
               Log& log)
    : impl_(std::make_unique<Impl>(options, assets, metrics, log)) {}
Server::~Server() = default;

Result<void> Server::start() {
  return impl_->start();
}

void Server::set_translator(std::shared_ptr<translate::Facade> facade) {
  impl_->backend_.set(std::move(facade));
}

uint16_t Server::port() const {
  return impl_->http_.port();
}

std::string Server::url() const {
  std::string host = impl_->options_.host;
  // What a browser on this machine can open, where we listen on every address.
  if (host == "0.0.0.0") host = "127.0.0.1";
  if (host == "::") host = "::1";
  if (host.find(':') != std::string::npos && host.front() != '[') host = "[" + host + "]";
  return "http://" + host + ":" + std::to_string(port());
}

void Server::drain(std::chrono::milliseconds grace) {
  impl_->http_.drain(grace);
}

}  // namespace hymt::server
