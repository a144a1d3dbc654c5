// Clients that leave, or stop reading: their work is cancelled at once, nobody else notices.
#include "service_fixture.h"

namespace hymt::test {
namespace {

const Json kPlain = {{"text", "a text"}, {"target", "en"}};
const Json kStream = {{"text", "a text"}, {"target", "en"}, {"stream", true}};

TEST_F(ServiceTest, AClientThatLeavesWhileItWaitsIsCancelled) {
  start();
  fake->play_with([](auto& script) { script.held = true; });
  int n = 0;
  for (const Json& body : {kPlain, kStream}) {
    ++n;
    Client client(port);
    client.send(translate_request(body));
    ASSERT_TRUE(fake->wait_begun(n));
    client.close();
    EXPECT_TRUE(fake->wait_cancelled(n)) << body;
  }
  fake->play({});
  EXPECT_EQ(translate(kPlain).status, 200);
  EXPECT_EQ(metric("hymt_http_cancelled_total"), 2);
  EXPECT_EQ(metric("hymt_http_requests_total{path=\"/v1/translate\",code=\"0\"}"), 2);
}

TEST_F(ServiceTest, AClientThatLeavesInMidStreamIsCancelled) {
  start();
  fake->play_with([](auto& script) { script.endless = true; });
  Client client(port);
  client.send(translate_request(kStream));
  EXPECT_EQ(client.read_head().status, 200);
  client.read_event();
  client.close();
  EXPECT_TRUE(fake->wait_cancelled(1));
  EXPECT_TRUE(fake->wait_ended(1));
}

TEST_F(ServiceTest, AClientThatLeavesBehindPipelinedRequestsIsCancelled) {
  start();
  fake->play_with([](auto& script) { script.held = true; });
  Client client(port);
  client.send(translate_request(kPlain) + get_request("/health") + get_request("/health"));
  ASSERT_TRUE(fake->wait_begun(1));
  client.close();
  EXPECT_TRUE(fake->wait_cancelled(1));
}

TEST_F(ServiceTest, AnAnswerInTimeIsNoCancel) {
  start();
  EXPECT_EQ(translate(kPlain).status, 200);
  EXPECT_TRUE(fake->wait_ended(1));
  EXPECT_EQ(metric("hymt_http_cancelled_total"), 0);
}

TEST_F(ServiceTest, AReaderThatStopsReadingIsCutOff) {
  options.http.max_backlog = 64 * 1024;
  start();
  fake->play_with([](auto& script) {
    script.endless = true;
    script.delta = 4096;
  });
  Client lazy(port, 4096);
  lazy.send(translate_request(kStream));
  EXPECT_TRUE(fake->wait_cancelled(1)) << "although it keeps the connection open";
  fake->play({});
  EXPECT_EQ(translate(kPlain).status, 200);
}

TEST_F(ServiceTest, WhatTheEngineForgetsIsGivenUpAtItsDeadline) {
  options.http.late_time = std::chrono::milliseconds(50);
  start();
  fake->play_with([](auto& script) { script.held = true; });
  Json body = kPlain;
  body["deadline_ms"] = 50;
  const auto reply = translate(body);
  EXPECT_EQ(reply.status, 504);
  EXPECT_EQ(error_of(reply), "deadline");
  EXPECT_TRUE(fake->wait_cancelled(1));
}

TEST_F(ServiceTest, ManyLeaveAndTheOthersAreAnswered) {
  start();
  fake->play_with([](auto& script) { script.held = true; });
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 60; ++i) {
    clients.push_back(std::make_unique<Client>(port));
    clients.back()->send(translate_request(i % 2 ? kStream : kPlain));
  }
  ASSERT_TRUE(fake->wait_begun(60));
  for (int i = 0; i < 60; i += 3) clients[static_cast<size_t>(i)]->close();
  EXPECT_TRUE(fake->wait_cancelled(20));
  fake->play({});
  for (int i = 0; i < 60; ++i) {
    if (i % 3 == 0) continue;
    EXPECT_EQ(clients[static_cast<size_t>(i)]->read().status, 200) << i;
  }
  EXPECT_TRUE(fake->wait_ended(60));
}

}  // namespace
}  // namespace hymt::test
