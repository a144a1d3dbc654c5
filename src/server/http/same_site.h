// Which pages may talk to us. A browser sends every page's requests to a local service; two
// headers tell whose they are. A foreign Origin is another site's page. A foreign Host is a name
// that somebody pointed at our address (DNS rebinding), whose pages the browser takes for ours.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace hymt::server::http {

struct SitePolicy {
  // Only loopback names and `hosts` are ours: for a service bound to a loopback address. Otherwise
  // any Host is taken, since a machine cannot know all names it is reached by.
  bool check_host = true;
  std::vector<std::string> hosts;  // names without port
  // Names under which a proxy offers this service, without port: taken as Host and as Origin.
  std::vector<std::string> public_names;
};

// "localhost", 127.0.0.0/8 or ::1, as a Host header writes it (brackets, no port).
bool is_loopback(std::string_view host);

// The host of "host:port" or "[v6]:port", lower case, without brackets and a final dot.
std::string host_name(std::string_view authority);

// `host` is empty where the request named none (HTTP/1.0: no browser), `origin` where there is no
// such header. forbidden, or nothing.
std::optional<Error> check_site(const SitePolicy& policy, std::string_view host,
                                std::string_view origin);

}  // namespace hymt::server::http
