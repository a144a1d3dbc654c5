#include "server/http/server.h"

#include <netinet/tcp.h>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <algorithm>
#include <ctime>
#include <thread>
#include <vector>

#include "server/http/connection.h"
#include "server/http/hub.h"
#include "server/http/writer.h"

namespace hymt::server::http {
namespace {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

// After stop() asked connections to end: how long a 503 may take to be written.
constexpr std::chrono::milliseconds kLastWords{500};
// When descriptors run out: until some are free again.
constexpr std::chrono::milliseconds kAcceptPause{100};

Error cannot_bind(const std::string& host, uint16_t port, const error_code& error) {
  const std::string where = "port " + std::to_string(port);
  if (error == asio::error::address_in_use) {
    return {Code::invalid_argument,
            where + " of " + host + " is taken: stop who has it, or choose another with --port",
            "port"};
  }
  if (error == asio::error::access_denied) {
    return {Code::invalid_argument,
            where + " may not be used without privileges: choose one above 1023 with --port",
            "port"};
  }
  if (error.value() == EADDRNOTAVAIL) {
    return {Code::invalid_argument, host + " is no address of this machine: choose one with --host",
            "host"};
  }
  return {Code::invalid_argument,
          "cannot listen on " + where + " of " + host + ": " + error.message(), "host"};
}

template <int name>
using Seconds = asio::detail::socket_option::integer<IPPROTO_TCP, name>;

// Answers leave at once, and a peer that vanished without a word is found out within two minutes.
void tune(tcp::socket& socket) {
  error_code ignored;
  socket.set_option(tcp::no_delay(true), ignored);
  socket.set_option(asio::socket_base::keep_alive(true), ignored);
  socket.set_option(Seconds<TCP_KEEPIDLE>(60), ignored);
  socket.set_option(Seconds<TCP_KEEPINTVL>(15), ignored);
  socket.set_option(Seconds<TCP_KEEPCNT>(4), ignored);
}

// A client is its address: the same one whether it came by IPv4 or through an IPv6 socket.
std::string name_of(const asio::ip::address& peer) {
  if (peer.is_v6() && peer.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, peer.to_v6()).to_string();
  }
  return peer.to_string();
}

// A network's thread. Coroutines catch what libraries throw; this is for their handlers.
void run_network(asio::io_context& network) {
  while (!network.stopped()) {
    try {
      network.run();
    } catch (const std::exception&) {
      continue;
    }
  }
}

}  // namespace

class Server::Impl {
 public:
  Impl(const Options& options, const Site& site)
      : hub_(options, site), network_(options.network_threads), work_(network_.get_executor()) {}
  ~Impl() { stop(); }

  Result<void> listen(const std::string& host, uint16_t port);
  uint16_t port() const;
  bool loopback_only() const;
  void start();
  void drain(std::chrono::milliseconds grace);
  void stop();
  int connections();

 private:
  static asio::awaitable<void> accept_all(Impl& server, tcp::acceptor& acceptor);
  void welcome(tcp::socket socket);
  error_code bind(const tcp::endpoint& endpoint);
  void close_acceptors();
  template <class Each>
  void for_each_connection(Each each);
  bool wait_until_empty(std::chrono::milliseconds time);

  Hub hub_;
  asio::io_context network_;
  asio::executor_work_guard<asio::io_context::executor_type> work_;
  std::vector<std::unique_ptr<tcp::acceptor>> acceptors_;
  std::vector<std::thread> threads_;
};

Result<void> Server::Impl::listen(const std::string& host, uint16_t port) {
  error_code error;
  tcp::resolver resolver(network_);
  const auto found = resolver.resolve(
      host, std::to_string(port), tcp::resolver::passive | tcp::resolver::numeric_service, error);
  if (error || found.empty()) {
    return fail(Code::invalid_argument,
                "cannot find host \"" + host + "\": choose an address of this machine with --host",
                "host");
  }
  error_code missing;
  for (const auto& entry : found) {
    tcp::endpoint endpoint = entry.endpoint();
    if (port == 0 && !acceptors_.empty()) endpoint.port(this->port());
    const auto same = [&](const auto& one) { return one->local_endpoint() == endpoint; };
    if (std::any_of(acceptors_.begin(), acceptors_.end(), same)) continue;
    const error_code failed = bind(endpoint);
    // "localhost" may mean ::1 too on a machine without IPv6.
    if (failed.value() == EADDRNOTAVAIL || failed.value() == EAFNOSUPPORT) {
      missing = failed;
    } else if (failed) {
      return tl::unexpected(cannot_bind(host, port, failed));
    }
  }
  if (acceptors_.empty()) return tl::unexpected(cannot_bind(host, port, missing));
  return {};
}

error_code Server::Impl::bind(const tcp::endpoint& endpoint) {
  auto acceptor = std::make_unique<tcp::acceptor>(asio::make_strand(network_));
  error_code error;
  acceptor->open(endpoint.protocol(), error);
  if (!error) acceptor->set_option(tcp::acceptor::reuse_address(true), error);
  if (!error && endpoint.protocol() == tcp::v6()) {
    acceptor->set_option(asio::ip::v6_only(endpoint.address().is_loopback()), error);
  }
  if (!error) acceptor->bind(endpoint, error);
  if (!error) acceptor->listen(asio::socket_base::max_listen_connections, error);
  if (!error) acceptors_.push_back(std::move(acceptor));
  return error;
}

uint16_t Server::Impl::port() const {
  error_code ignored;
  return acceptors_.empty() ? 0 : acceptors_.front()->local_endpoint(ignored).port();
}

bool Server::Impl::loopback_only() const {
  for (const auto& acceptor : acceptors_) {
    error_code ignored;
    if (!acceptor->local_endpoint(ignored).address().is_loopback()) return false;
  }
  return true;
}

void Server::Impl::start() {
  for (const auto& acceptor : acceptors_) {
    asio::co_spawn(acceptor->get_executor(), accept_all(*this, *acceptor), asio::detached);
  }
  for (int i = 0; i < hub_.options.network_threads; ++i) {
    threads_.emplace_back([this] { run_network(network_); });
  }
}

asio::awaitable<void> Server::Impl::accept_all(Impl& server, tcp::acceptor& acceptor) {
  asio::steady_timer pause(acceptor.get_executor());
  while (acceptor.is_open()) {
    error_code error;
    tcp::socket socket = co_await acceptor.async_accept(
        asio::make_strand(server.network_), asio::redirect_error(asio::use_awaitable, error));
    if (!error) {
      try {
        server.welcome(std::move(socket));
      } catch (const std::exception&) {  // a library's, out of memory: this client's bad luck
      }
    } else if (error != asio::error::operation_aborted) {
      // Out of descriptors or memory, or the client was faster to leave than we to accept.
      pause.expires_after(kAcceptPause);
      co_await pause.async_wait(asio::redirect_error(asio::use_awaitable, error));
    }
  }
}

void Server::Impl::welcome(tcp::socket socket) {
  error_code error;
  const auto peer = socket.remote_endpoint(error);
  if (error) return;
  tune(socket);
  if (connections() >= hub_.options.max_connections) {
    auto reply =
        hub_.site.errors().reply({Code::unavailable, "too many connections: try again later", {}});
    const auto bytes =
        response_head(reply, Framing::length, false, std::time(nullptr)) + reply.body;
    socket.non_blocking(true, error);
    socket.write_some(asio::buffer(bytes), error);  // as much as fits: nobody waits for this client
    return;
  }
  std::make_shared<Connection>(std::move(socket), name_of(peer.address()), hub_)->start();
}

void Server::Impl::close_acceptors() {
  for (const auto& acceptor : acceptors_) {
    asio::post(acceptor->get_executor(), [&acceptor] {
      error_code ignored;
      acceptor->close(ignored);
    });
  }
}

template <class Each>
void Server::Impl::for_each_connection(Each each) {
  std::vector<std::shared_ptr<Connection>> alive;  // released after the lock: they take it to leave
  {
    const std::lock_guard<std::mutex> lock(hub_.mutex);
    for (Connection* connection : hub_.connections) {
      if (auto one = connection->weak_from_this().lock()) alive.push_back(std::move(one));
    }
  }
  for (const auto& connection : alive) each(*connection);
}

bool Server::Impl::wait_until_empty(std::chrono::milliseconds time) {
  std::unique_lock<std::mutex> lock(hub_.mutex);
  return hub_.changed.wait_for(lock, time, [&] { return hub_.connections.empty(); });
}

void Server::Impl::drain(std::chrono::milliseconds grace) {
  hub_.draining = true;
  close_acceptors();
  for_each_connection([](Connection& connection) { connection.wake(); });
  wait_until_empty(grace);
  stop();
}

void Server::Impl::stop() {
  if (threads_.empty()) return;
  hub_.draining = true;
  close_acceptors();
  for_each_connection([](Connection& connection) { connection.stop(); });
  while (!wait_until_empty(kLastWords)) {
    for_each_connection([](Connection& connection) { connection.kill(); });
  }
  hub_.workers.join();
  work_.reset();
  for (auto& thread : threads_) thread.join();
  threads_.clear();
}

int Server::Impl::connections() {
  const std::lock_guard<std::mutex> lock(hub_.mutex);
  return static_cast<int>(hub_.connections.size());
}

Server::Server(const Options& options, const Site& site)
    : impl_(std::make_unique<Impl>(options, site)) {}
Server::~Server() = default;
Result<void> Server::listen(const std::string& host, uint16_t port) {
  return impl_->listen(host, port);
}
uint16_t Server::port() const {
  return impl_->port();
}
bool Server::loopback_only() const {
  return impl_->loopback_only();
}
void Server::start() {
  impl_->start();
}
void Server::drain(std::chrono::milliseconds grace) {
  impl_->drain(grace);
}
void Server::stop() {
  impl_->stop();
}
int Server::connections() const {
  return impl_->connections();
}

}  // namespace hymt::server::http
