// Malformed, oversized and slow clients over real sockets.
#include <thread>

#include "service_fixture.h"

namespace hymt::test {
namespace {

TEST_F(ServiceTest, SmugglingFormsGet400AndTheEndOfTheConnection) {
  start();
  const std::string head = "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\n";
  for (const std::string& lengths :
       {std::string("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n"),
        std::string("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n"),
        std::string("Content-Length: 3\r\nContent-Length: 4\r\n"),
        std::string("Content-Length: 3\r\nContent-Length: 3\r\n"),
        std::string("Transfer-Encoding: chunked, identity\r\n"),
        std::string("Transfer-Encoding:\r\n chunked\r\n")}) {
    Client client(port);
    client.send(head + lengths + "\r\n0\r\n\r\nGET /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
    const auto reply = client.read();
    EXPECT_EQ(reply.status, 400) << lengths;
    EXPECT_EQ(reply.headers.at("connection"), "close");
    EXPECT_EQ(error_of(reply), "invalid_argument");
    client.half_close();
    EXPECT_EQ(client.read_some(), "") << "the smuggled request is not answered";
  }
  EXPECT_GE(metric("hymt_http_requests_total{path=\"other\",code=\"400\"}"), 6);
}

TEST_F(ServiceTest, NoiseGets400) {
  start();
  for (const std::string& noise :
       {std::string("hello\r\n\r\n"), std::string("GET / HTTP/2.0\r\n\r\n"),
        std::string("\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03 tls \r\n\r\n", 20),
        std::string("GET /health HTTP/1.1\r\n\r\n"), std::string(100, '\0') + "\r\n\r\n"}) {
    Client client(port);
    client.send(noise);
    EXPECT_EQ(client.read().status, 400) << noise;
    client.half_close();
    EXPECT_TRUE(client.closed());
  }
  EXPECT_EQ(get(port, "/health").status, 200);
}

TEST_F(ServiceTest, LargeBodiesGet413WhateverTheirForm) {
  start();
  const std::string body = R"({"target": "en", "text": ")" + std::string(20 << 20, 'a') + "\"}";
  {
    Client client(port);
    EXPECT_TRUE(client.send(post_request("/v1/translate", body))) << "it is read to its end";
    const auto reply = client.read();
    EXPECT_EQ(reply.status, 413);
    EXPECT_EQ(error_of(reply), "too_large");
    EXPECT_EQ(reply.headers.at("connection"), "close");
    client.half_close();
    EXPECT_TRUE(client.closed());
  }
  {
    Client client(port);
    client.send(
        "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n"
        "\r\n"
        "1400000\r\n");
    client.send(body.substr(0, 4 << 20));
    EXPECT_EQ(client.read().status, 413);
  }
  {
    Client client(port);
    client.send(
        "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
        "Content-Length: 20000000\r\n\r\n");
    EXPECT_EQ(client.read().status, 413) << "before the body is sent";
  }
  EXPECT_EQ(metric("hymt_http_requests_total{path=\"/v1/translate\",code=\"413\"}"), 3);
  EXPECT_EQ(post(port, "/v1/translate", R"({"text": "a", "target": "en"})").status, 200);
}

TEST_F(ServiceTest, AllBodiesTogetherAreBounded) {
  options.http.max_bodies = 1000;
  start();
  Client first(port), second(port);
  first.send("POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 600\r\n\r\n");
  while (metric("hymt_http_in_flight") < 2) std::this_thread::yield();
  const std::string body = R"({"target": "en", "text": ")" + std::string(500, 'a') + "\"}";
  EXPECT_EQ(second.post("/v1/translate", body).status, 503);
  first.close();
  while (metric("hymt_http_in_flight") > 1) std::this_thread::yield();
  EXPECT_EQ(post(port, "/v1/translate", body).status, 200) << "what was reserved is free again";
}

TEST_F(ServiceTest, HeadsThatAreTooLargeGet413) {
  start();
  Client client(port);
  client.send(get_request("/health", std::string("X: ").append(20'000, 'a') + "\r\n"));
  EXPECT_EQ(client.read().status, 413);
  EXPECT_EQ(get(port, std::string("/").append(20'000, 'a')).status, 413);
}

TEST_F(ServiceTest, ContinuesAClientThatAsksFirst) {
  start();
  Client client(port);
  const std::string body = R"({"text": "a", "target": "en"})";
  client.send(
      "POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
      "Content-Length: " +
      std::to_string(body.size()) + "\r\n\r\n");
  EXPECT_EQ(client.read().status, 100);
  client.send(body);
  EXPECT_EQ(client.read().status, 200);
  client.send(
      "POST /nothing HTTP/1.1\r\nHost: localhost\r\nExpect: 100-continue\r\n"
      "Content-Length: 5\r\n\r\n");
  EXPECT_EQ(client.read().status, 404) << "told before the body is sent";
  Client other(port);
  other.send(get_request("/health", "Expect: miracles\r\n"));
  EXPECT_EQ(other.read().status, 400);
}

TEST_F(ServiceTest, PipelinedRequestsAreAnsweredInOrder) {
  start();
  Client client(port);
  std::string all;
  for (int i = 0; i < 50; ++i) {
    all += translate_request({{"text", std::to_string(i)}, {"target", "en"}});
    all += get_request("/health") + get_request("/nothing");
    all += post_request("/v1/translate", "{");
  }
  client.send(all);
  for (int i = 0; i < 50; ++i) {
    const auto reply = client.read();
    ASSERT_EQ(reply.status, 200);
    EXPECT_EQ(Json::parse(reply.body)["translations"][0]["text"], "en:" + std::to_string(i));
    EXPECT_EQ(client.read().status, 200);
    EXPECT_EQ(client.read().status, 404);
    EXPECT_EQ(client.read().status, 400);
  }
}

// It counts as gone, and what it asked for next is not what it would take it for.
TEST_F(ServiceTest, AHalfClosedClientGetsNoOtherAnswerInTheFirstOnesPlace) {
  start();
  fake->play_with([](auto& script) { script.held = true; });
  Client client(port);
  client.send(translate_request({{"text", "a"}, {"target", "en"}}) + get_request("/health"));
  ASSERT_TRUE(fake->wait_begun(1));
  client.half_close();
  EXPECT_EQ(client.read_some(), "");
}

TEST_F(ServiceTest, AHalfClosedClientStillGetsWhatIsReady) {
  start();
  Client client(port);
  client.send(get_request("/health") + get_request("/health"));
  client.half_close();
  EXPECT_EQ(client.read().status, 200);
  EXPECT_EQ(client.read().status, 200);
  EXPECT_TRUE(client.closed());
}

TEST_F(ServiceTest, Http10EndsTheConnectionUnlessAskedToKeepIt) {
  start();
  Client client(port);
  client.send("GET /health HTTP/1.0\r\nConnection: keep-alive\r\n\r\n");
  EXPECT_EQ(client.read().headers.at("connection"), "keep-alive");
  client.send("GET /health HTTP/1.0\r\n\r\n");
  EXPECT_EQ(client.read().headers.at("connection"), "close");
  client.half_close();
  EXPECT_TRUE(client.closed());
}

TEST_F(ServiceTest, BytesThatArriveOneByOneAreARequest) {
  start();
  Client client(port);
  for (const char byte : translate_request({{"text", "好"}, {"target", "en"}})) {
    ASSERT_TRUE(client.send({&byte, 1}));
  }
  EXPECT_EQ(client.read().status, 200);
}

TEST_F(ServiceTest, SlowHeadsAreClosedByTimeOutWhileOthersAreServed) {
  options.http.header_time = std::chrono::milliseconds(300);
  start();
  std::vector<std::unique_ptr<Client>> slow;
  for (int i = 0; i < 300; ++i) {
    slow.push_back(std::make_unique<Client>(port));
    ASSERT_TRUE(slow.back()->send("GET /health HT"));
    if (i % 50 != 0) continue;
    EXPECT_EQ(get(port, "/health").status, 200);
  }
  for (auto& client : slow) EXPECT_TRUE(client->closed());
}

TEST_F(ServiceTest, DrippingDoesNotExtendTheTimeForAHead) {
  options.http.header_time = std::chrono::milliseconds(200);
  options.http.idle_time = std::chrono::hours(1);
  start();
  Client client(port);
  client.send("GET /health HTTP/1.1\r\n");
  std::thread drip([&] {
    while (client.send("X: y\r\n")) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  });
  EXPECT_TRUE(client.closed());
  drip.join();
}

TEST_F(ServiceTest, SlowBodiesAndIdleConnectionsAreClosed) {
  options.http.idle_time = std::chrono::milliseconds(200);
  start();
  Client body(port), idle(port), silent(port);
  body.send("POST /v1/translate HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{");
  EXPECT_EQ(idle.get("/health").status, 200);
  EXPECT_TRUE(body.closed());
  EXPECT_TRUE(idle.closed());
}

TEST_F(ServiceTest, ConnectionsBeyondTheLimitAreTurnedAway) {
  options.http.max_connections = 5;
  start();
  {
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 5; ++i) {
      clients.push_back(std::make_unique<Client>(port));
      ASSERT_EQ(clients.back()->get("/health").status, 200);
    }
    Client sixth(port);
    const auto reply = sixth.read();
    EXPECT_EQ(reply.status, 503);
    EXPECT_TRUE(reply.headers.contains("retry-after"));
    EXPECT_TRUE(sixth.closed());
    EXPECT_EQ(clients[0]->get("/health").status, 200);
  }
  while (get(port, "/health").status != 200) std::this_thread::yield();  // as they leave
}

TEST_F(ServiceTest, HealthAnswersWhileTheEngineAndAllWorkersAreBusy) {
  start();
  fake->play_with([](auto& script) { script.busy = true; });  // as if all texts were huge
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 40; ++i) {
    clients.push_back(std::make_unique<Client>(port));
    clients.back()->send(translate_request({{"text", "a"}, {"target", "en"}}));
  }
  ASSERT_TRUE(fake->wait_begun(options.http.workers));
  for (const char* path : {"/health", "/ready", "/metrics", "/v1/languages"}) {
    EXPECT_EQ(get(port, path).status, 200) << path;
  }
  fake->play({});
  for (auto& client : clients) EXPECT_EQ(client->read().status, 200);
}

TEST_F(ServiceTest, OneRequestThatFailsHarmsNoOther) {
  start();
  Client good(port);
  for (int i = 0; i < 20; ++i) {
    Client bad(port);
    bad.send(i % 2 ? "POST /v1/translate HTTP/1.1\r\nContent"
                   : post_request("/v1/translate", "\xff"));
    if (i % 4 == 0) bad.read();
    bad.close();
    ASSERT_EQ(good.post("/v1/translate", R"({"text": "a", "target": "en"})").status, 200);
  }
}

}  // namespace
}  // namespace hymt::test
