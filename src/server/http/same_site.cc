#include "server/http/same_site.h"

#include <algorithm>

namespace hymt::server::http {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return out;
}

// Where the port's colon stands, or npos: inside brackets a colon belongs to the address.
size_t port_colon(std::string_view authority) {
  const auto bracket = authority.rfind(']');
  const auto colon = authority.rfind(':');
  if (colon == std::string_view::npos) return colon;
  return bracket != std::string_view::npos && colon < bracket ? std::string_view::npos : colon;
}

// Host and port, the default port of the web dropped: what an Origin and a Host have in common.
std::string site(std::string_view authority) {
  const auto colon = port_colon(authority);
  const auto port = colon == std::string_view::npos ? "" : authority.substr(colon);
  const bool usual = port.empty() || port == ":" || port == ":80" || port == ":443";
  return host_name(authority) + (usual ? std::string() : std::string(port));
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::any_of(names.begin(), names.end(),
                     [&](const std::string& one) { return lower(one) == name; });
}

// Four decimal numbers: "127.evil.example" is a name like any other.
bool is_ipv4_loopback(std::string_view host) {
  if (host.substr(0, 4) != "127.") return false;
  int numbers = 0;
  while (true) {
    const auto dot = std::min(host.find('.'), host.size());
    const auto digits = host.substr(0, dot);
    if (digits.empty() || digits.size() > 3) return false;
    if (digits.find_first_not_of("0123456789") != std::string_view::npos) return false;
    ++numbers;
    if (dot == host.size()) return numbers == 4;
    host.remove_prefix(dot + 1);
  }
}

}  // namespace

std::string host_name(std::string_view authority) {
  auto name = lower(authority.substr(0, port_colon(authority)));
  if (name.size() >= 2 && name.front() == '[' && name.back() == ']') {
    name = name.substr(1, name.size() - 2);
  }
  if (!name.empty() && name.back() == '.') name.pop_back();
  return name;
}

bool is_loopback(std::string_view host) {
  const auto name = host.find(':') != std::string_view::npos && host.front() != '['
                        ? lower(host)
                        : host_name(host);
  return name == "localhost" || name == "::1" || is_ipv4_loopback(name);
}

std::optional<Error> check_site(const SitePolicy& policy, std::string_view host,
                                std::string_view origin) {
  const std::string name = host_name(host);
  const bool ours = contains(policy.hosts, name) || contains(policy.public_names, name);
  if (policy.check_host && !host.empty() && !ours && !is_loopback(name)) {
    return Error{Code::forbidden,
                 "this service is reached by a local address only, such as http://127.0.0.1, or by "
                 "a name that was given to --allow-host",
                 {}};
  }
  if (origin.empty()) return std::nullopt;
  const auto scheme_end = origin.find("://");
  if (scheme_end != std::string_view::npos) {
    const std::string_view authority = origin.substr(scheme_end + 3);
    if (!host.empty() && site(authority) == site(host)) return std::nullopt;
    if (contains(policy.public_names, host_name(authority))) return std::nullopt;
  }
  return Error{Code::forbidden,
               "pages of another site may not use this service: name it with --allow-host if it is "
               "a proxy of yours",
               {}};
}

}  // namespace hymt::server::http
