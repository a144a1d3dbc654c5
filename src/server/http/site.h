// What a server serves: routes, the filters before them, and who hears of each request. Built
// once, then read by all connections.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "server/http/exchange.h"
#include "server/http/message.h"

namespace hymt::server::http {

struct Route {
  std::string method;  // GET answers HEAD too
  std::string path;    // exact, as decoded
  std::function<void(const std::shared_ptr<Exchange>&)> answer;
  const ErrorFormat* errors;
  bool on_worker = false;  // takes time: not for the network's thread
  std::string label;       // for metrics, where several routes are one thing; empty: the path
};

// What is known once a request has been answered or given up.
struct Record {
  std::string_view method;
  std::string_view target;
  std::string_view label;  // a route's label, or "other": a bounded set
  std::string_view client;
  int status = 0;  // 0: nothing was answered
  size_t bytes = 0;
  double seconds = 0;
  bool gone = false;  // the client left before the end
};

// Any thread.
class Observer {
 public:
  virtual ~Observer() = default;
  virtual void on_begin() = 0;
  virtual void on_end(const Record& record) = 0;
};

// Looks at a request before its body is read, and may refuse it or note who is calling.
using Filter = std::function<std::optional<Error>(Request&)>;

class Site {
 public:
  // `errors`: the format where no route decides. Both outlive the site.
  Site(const ErrorFormat& errors, Observer& observer) : errors_(errors), observer_(observer) {}

  void add(Filter filter) { filters_.push_back(std::move(filter)); }
  void add(Route route);

  struct Plan {
    const Route* route = nullptr;     // answers it; or
    std::optional<Response> refusal;  // this does
    const ErrorFormat* errors = nullptr;
    std::string_view label = "other";
  };
  // Never both; 404 and 405 (with Allow), OPTIONS, and what the filters say are refusals.
  Plan plan(Request& head) const;

  std::vector<std::string> labels() const;  // that plans may have, beside "other"
  Observer& observer() const { return observer_; }
  const ErrorFormat& errors() const { return errors_; }

 private:
  std::string allowed(std::string_view path) const;

  const ErrorFormat& errors_;
  Observer& observer_;
  std::vector<Filter> filters_;
  std::vector<Route> routes_;
};

}  // namespace hymt::server::http
