// Many clients at once doing anything; meant for the sanitizers.
#include <atomic>
#include <random>
#include <thread>

#include "service_fixture.h"

namespace hymt::test {
namespace {

class Visitor {
 public:
  Visitor(uint16_t port, unsigned seed) : port_(port), random_(seed) {}

  // True if it got a whole answer.
  bool visit() {
    const unsigned kind = random_() % 8;
    Client client(port_);
    const Json body = {{"text", std::string(1 + random_() % 400, 'a')},
                       {"target", "en"},
                       {"stream", random_() % 2 == 0}};
    const std::string request = post_request("/v1/translate", body.dump());
    switch (kind) {
      case 0:  // leaves in the middle of a request
        client.send(std::string_view(request).substr(0, random_() % request.size()));
        return false;
      case 1:  // leaves at once after it
        client.send(request);
        return false;
      case 2:  // leaves after a piece of the answer
        client.send(request);
        client.read_some();
        return false;
      case 3:  // several at once
        client.send(request + request + get_request("/metrics"));
        return client.read().status == 200 && client.read().status == 200 &&
               client.read().status == 200;
      case 4:
        client.send("POST / HTTP/1.1\r\nContent-Length: x\r\n\r\n");
        return client.read().status == 400;
      default:
        client.send(request);
        return client.read().status == 200;
    }
  }

 private:
  uint16_t port_;
  std::minstd_rand random_;
};

TEST_F(ServiceTest, ServesManyClientsOfAllKinds) {
  options.http.network_threads = 2;
  start();
  std::atomic<int> answered{0};
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 8; ++i) {
    threads.emplace_back([&, i] {
      Visitor visitor(port, 1000 + i);
      for (int k = 0; k < 60; ++k) answered += visitor.visit();
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_GE(answered, 8 * 60 / 3) << "those who stay get their answers";
  while (fake->live() > 0) std::this_thread::yield();
  EXPECT_EQ(translate({{"text", "a"}, {"target", "en"}}).status, 200);
  EXPECT_LE(metric("hymt_http_in_flight"), 3);
}

TEST_F(ServiceTest, EndsWhileManyClientsAreBusy) {
  options.http.network_threads = 2;
  start();
  std::vector<std::thread> threads;
  for (unsigned i = 0; i < 6; ++i) {
    threads.emplace_back([&, i] {
      Visitor visitor(port, 2000 + i);
      for (int k = 0; k < 20; ++k) visitor.visit();
    });
  }
  ASSERT_TRUE(fake->wait_begun(10));
  service->drain(std::chrono::milliseconds(20));
  for (auto& thread : threads) thread.join();
  service.reset();
  EXPECT_EQ(fake->live(), 0);
}

}  // namespace
}  // namespace hymt::test
