// Binding, and ending without losing anybody.
#include <thread>

#include "server/http/server.h"
#include "service_fixture.h"

namespace hymt::test {
namespace {

const Json kPlain = {{"text", "a text"}, {"target", "en"}};

TEST_F(ServiceTest, SaysWhatToDoWhenItCannotListen) {
  start();
  const auto error = [&](const std::string& host, uint16_t at) {
    server::Options other = options;
    other.host = host;
    other.port = at;
    const auto started = server::Server(other, {}, metrics, log).start();
    EXPECT_FALSE(started) << host;
    return started ? Error{} : started.error();
  };
  const Error taken = error("127.0.0.1", port);
  EXPECT_EQ(taken.code, Code::invalid_argument);
  EXPECT_NE(taken.message.find(std::to_string(port)), std::string::npos);
  EXPECT_NE(taken.message.find("taken"), std::string::npos);
  EXPECT_NE(taken.message.find("--port"), std::string::npos);
  EXPECT_NE(error("no.such.host.invalid", 0).message.find("--host"), std::string::npos);
  EXPECT_NE(error("192.0.2.1", 0).message.find("--host"), std::string::npos) << "not this machine";
}

TEST_F(ServiceTest, NamesItsAddress) {
  start();
  EXPECT_EQ(service->url(), "http://127.0.0.1:" + std::to_string(port));
}

TEST_F(ServiceTest, ListensOnEveryAddressOfAName) {
  options.host = "localhost";
  start();
  EXPECT_EQ(get(port, "/health").status, 200);
}

TEST_F(ServiceTest, OnTheNetworkAnyHostIsServed) {
  options.host = "0.0.0.0";
  start();
  Client client(port);
  client.send("GET /health HTTP/1.1\r\nHost: translate.example\r\n\r\n");
  EXPECT_EQ(client.read().status, 200);
}

TEST_F(ServiceTest, ADrainLetsRequestsEnd) {
  start();
  fake->play_with([](auto& script) { script.held = true; });
  Client waiting(port), streaming(port), idle(port);
  waiting.send(translate_request(kPlain));
  Json stream = kPlain;
  stream["stream"] = true;
  streaming.send(translate_request(stream));
  EXPECT_EQ(idle.get("/health").status, 200);
  ASSERT_TRUE(fake->wait_begun(2));
  std::thread drain([&] { service->drain(std::chrono::seconds(20)); });
  EXPECT_TRUE(idle.closed()) << "idle connections end at once";
  wait_until_nobody_is_accepted();
  fake->play({});
  const auto reply = waiting.read();
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("connection"), "close");
  const auto streamed = streaming.read();
  EXPECT_EQ(streamed.status, 200);
  EXPECT_NE(streamed.body.find("[DONE]"), std::string::npos);
  waiting.close();
  streaming.close();
  drain.join();
}

TEST_F(ServiceTest, WhatDoesNotEndInTheGraceGets503) {
  start();
  fake->play_with([](auto& script) { script.held = true; });
  Client waiting(port), arriving(port);
  waiting.send(translate_request(kPlain));
  ASSERT_TRUE(fake->wait_begun(1));
  std::thread drain([&] { service->drain(std::chrono::milliseconds(50)); });
  const auto reply = waiting.read();
  EXPECT_EQ(reply.status, 503);
  EXPECT_EQ(error_of(reply), "unavailable");
  EXPECT_TRUE(reply.headers.contains("retry-after"));
  drain.join();
  EXPECT_TRUE(fake->wait_cancelled(1));
}

TEST_F(ServiceTest, ADrainAwaitsARequestThatHasOnlyBegunToArrive) {
  start();
  const std::string request = translate_request(kPlain);
  Client client(port);
  client.send(request.substr(0, request.size() - 5));
  while (metric("hymt_http_in_flight") < 2) std::this_thread::yield();  // itself, and that one
  std::thread drain([&] { service->drain(std::chrono::seconds(20)); });
  wait_until_nobody_is_accepted();
  client.send(request.substr(request.size() - 5));
  EXPECT_EQ(client.read().status, 200);
  client.close();
  drain.join();
}

TEST_F(ServiceTest, ADrainBeginsNoFurtherRequestOfAConnection) {
  start();
  fake->play_with([](auto& script) { script.held = true; });
  Client client(port);
  client.send(translate_request(kPlain) + translate_request(kPlain) + get_request("/ready"));
  ASSERT_TRUE(fake->wait_begun(1));
  std::thread drain([&] { service->drain(std::chrono::seconds(20)); });
  wait_until_nobody_is_accepted();
  fake->play({});
  EXPECT_EQ(client.read().status, 200);
  EXPECT_TRUE(client.closed());
  EXPECT_EQ(fake->begun(), 1);
  client.close();
  drain.join();
}

TEST_F(ServiceTest, MayBeDestroyedAtAnyTime) {
  for (int i = 0; i < 10; ++i) {
    start(i % 2);
    fake->play_with([&](auto& script) { script.held = i % 3 == 0; });
    std::vector<std::unique_ptr<Client>> clients;
    for (int k = 0; k < 10; ++k) {
      clients.push_back(std::make_unique<Client>(port));
      if (k % 3) clients.back()->send(translate_request(kPlain));
      if (k % 3 == 2) clients.back()->close();
    }
    service.reset();
    for (auto& client : clients) client->close();
    fake->play({});
  }
}

}  // namespace
}  // namespace hymt::test
