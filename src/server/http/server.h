// The HTTP server: binds, accepts, and runs its connections on threads of its own.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <string>

#include "base/result.h"
#include "server/http/options.h"
#include "server/http/site.h"

namespace hymt::server::http {

// All members may be called from any thread, one at a time.
class Server {
 public:
  // The site outlives the server.
  Server(const Options& options, const Site& site);
  ~Server();  // stop()

  // Binds to every address that `host` (a name or an address) means on this machine; port 0 takes
  // a free one. Clients may connect from then on; they are answered after start().
  // invalid_argument, naming what to change: no such host or address, port taken or privileged.
  Result<void> listen(const std::string& host, uint16_t port);
  uint16_t port() const;
  bool loopback_only() const;  // of the addresses bound to

  void start();

  // Accepts nobody any more, lets what is under way end, at most for `grace`; then stop().
  void drain(std::chrono::milliseconds grace);
  // What is under way is answered 503; all connections are closed and all threads joined.
  void stop();

  int connections() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hymt::server::http
