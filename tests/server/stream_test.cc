// "stream": true, as design fixes it: deltas, one `done` a text, [DONE].
#include "service_fixture.h"

namespace hymt::test {
namespace {

class StreamTest : public ServiceTest {
 protected:
  // Asks, and reads the head of the stream.
  HttpReply begin(Client& client, Json body) {
    body["stream"] = true;
    if (!body.contains("target")) body["target"] = "en";
    client.send(translate_request(body));
    return client.read_head();
  }
};

TEST_F(StreamTest, TellsDeltasThenTheWholeThenDone) {
  start();
  Client client(port);
  const auto head = begin(client, {{"text", {"你好，世界", "b"}}});
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-type"), "text/event-stream; charset=utf-8");
  EXPECT_EQ(head.headers.at("transfer-encoding"), "chunked");
  std::vector<std::string> joined(2);
  std::vector<Json> done;
  std::string event;
  while ((event = client.read_event()) != "[DONE]") {
    ASSERT_FALSE(event.empty());
    const Json json = Json::parse(event);  // throws on half a character
    if (json.contains("done")) {
      done.push_back(json);
    } else {
      joined.at(json["index"].get<size_t>()) += json["delta"].get<std::string>();
      EXPECT_EQ(json.size(), 2u);
    }
  }
  EXPECT_EQ(client.read_event(), "") << "nothing follows [DONE]";
  EXPECT_EQ(joined[0], "en:你好，世界");
  EXPECT_EQ(joined[1], "en:b");
  ASSERT_EQ(done.size(), 2u);
  EXPECT_EQ(done[0], Json::parse(R"({"index": 0, "done": true, "text": "en:你好，世界",
    "source": "zh", "detected": true, "finish_reason": "stop", "cached": false, "warnings": [],
    "alternatives": []})"));
  EXPECT_EQ(done[1]["index"], 1);
  EXPECT_EQ(client.get("/health").status, 200) << "the connection goes on";
}

TEST_F(StreamTest, SendsEachDeltaAsItComes) {
  start();
  Client client(port);
  begin(client, {{"text", "abcdefghi"}});
  for (const char* delta : {"en:a", "bcde", "fghi"}) {
    EXPECT_EQ(client.read_event(), std::string(R"({"delta":")") + delta + R"(","index":0})");
  }
}

TEST_F(StreamTest, AnErrorBeforeItBeginsHasItsOwnStatus) {
  start();
  Client client(port);
  auto reply = client.post("/v1/translate", R"({"text": "a", "target": "xx", "stream": true})");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(error_of(reply), "invalid_argument target");
  fake->play_with([](auto& script) { script.fail = Error{Code::deadline, "late", {}}; });
  reply = client.post("/v1/translate", R"({"text": "a", "target": "en", "stream": true})");
  EXPECT_EQ(reply.status, 504) << "a deadline passed in the queue";
}

TEST_F(StreamTest, AnErrorInItIsItsLastEvent) {
  start();
  fake->play_with([](auto& script) {
    script.fail = Error{Code::deadline, "late", {}};
    script.late = true;
  });
  Client client(port);
  EXPECT_EQ(begin(client, {{"text", "a longer text"}}).status, 200);
  EXPECT_TRUE(Json::parse(client.read_event()).contains("delta"));
  EXPECT_EQ(Json::parse(client.read_event()),
            Json::parse(R"({"error": {"code": "deadline", "message": "late", "field": null}})"));
  EXPECT_EQ(client.read_event(), "");
  EXPECT_EQ(client.get("/health").status, 200);
}

TEST_F(StreamTest, WorksForHttp10WithoutChunks) {
  start();
  Client client(port);
  const std::string body = R"({"text": "a", "target": "en", "stream": true})";
  client.send("POST /v1/translate HTTP/1.0\r\nContent-Length: " + std::to_string(body.size()) +
              "\r\nConnection: keep-alive\r\n\r\n" + body);
  const auto reply = client.read();
  EXPECT_EQ(reply.status, 200);
  EXPECT_FALSE(reply.headers.contains("transfer-encoding"));
  EXPECT_EQ(reply.headers.at("connection"), "close");
  EXPECT_EQ(reply.body.substr(0, 6), "data: ");
  EXPECT_EQ(reply.body.substr(reply.body.size() - 14), "data: [DONE]\n\n");
}

}  // namespace
}  // namespace hymt::test
