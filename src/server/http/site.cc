#include "server/http/site.h"

#include <algorithm>

namespace hymt::server::http {

Site::Plan Site::plan(Request& head) const {
  Plan plan;
  plan.errors = &errors_;
  const std::string_view method = head.method == "HEAD" ? "GET" : std::string_view(head.method);
  const Route* of_path = nullptr;
  for (const Route& route : routes_) {
    if (route.path != head.path) continue;
    of_path = &route;
    if (route.method == method) plan.route = &route;
  }
  if (of_path) {
    plan.errors = (plan.route ? plan.route : of_path)->errors;
    plan.label = of_path->label;
  }
  const auto refuse = [&](const Error& error) {
    plan.refusal = plan.errors->reply(error);
    plan.route = nullptr;
  };
  for (const Filter& filter : filters_) {
    if (const auto error = filter(head)) {
      refuse(*error);
      return plan;
    }
  }
  if (plan.route) return plan;
  if (head.method == "OPTIONS" && (of_path || head.path == "*")) {
    plan.refusal = Response{.status = 204, .headers = {{"Allow", allowed(head.path)}}};
  } else if (of_path) {
    const std::string allow = allowed(head.path);
    refuse(
        {Code::method_not_allowed, "use " + allow + " here, not " + head.method.substr(0, 32), {}});
    plan.refusal->headers.emplace_back("Allow", allow);
  } else {
    refuse({Code::not_found, "there is nothing at this path", {}});
  }
  return plan;
}

void Site::add(Route route) {
  if (route.label.empty()) route.label = route.path;
  routes_.push_back(std::move(route));
}

std::vector<std::string> Site::labels() const {
  std::vector<std::string> out;
  for (const Route& route : routes_) out.push_back(route.label);
  return out;
}

std::string Site::allowed(std::string_view path) const {
  std::vector<std::string_view> methods;
  for (const Route& route : routes_) {
    if (path != "*" && route.path != path) continue;
    methods.push_back(route.method);
    if (route.method == "GET") methods.push_back("HEAD");
  }
  methods.push_back("OPTIONS");
  std::sort(methods.begin(), methods.end());
  methods.erase(std::unique(methods.begin(), methods.end()), methods.end());
  std::string out;
  for (const auto method : methods) out.append(out.empty() ? "" : ", ").append(method);
  return out;
}

}  // namespace hymt::server::http
