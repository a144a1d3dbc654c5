// The native API over real sockets, as design fixes it.
#include "service_fixture.h"

namespace hymt::test {
namespace {

TEST_F(ServiceTest, TranslatesAText) {
  start();
  const auto reply = translate({{"text", "你好！"}, {"target", "en"}});
  ASSERT_EQ(reply.status, 200) << reply.body;
  EXPECT_EQ(reply.headers.at("content-type"), "application/json");
  EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff");
  EXPECT_FALSE(reply.headers.contains("access-control-allow-origin"));
  const Json body = Json::parse(reply.body);
  EXPECT_EQ(body["translations"],
            Json::parse(R"([{"text": "en:你好！", "source": "zh", "detected": true,
              "finish_reason": "stop", "cached": false, "warnings": [], "alternatives": []}])"));
  EXPECT_EQ(body["model"], "Fake-MT");
  EXPECT_EQ(body["usage"]["input_tokens"], 9);
  EXPECT_EQ(body["usage"]["output_tokens"], 12);
}

TEST_F(ServiceTest, AnswersSeveralTextsInOrder) {
  start();
  const auto reply = translate({{"text", {"a", "", "c"}}, {"source", "fr"}, {"target", "de"}});
  const Json list = Json::parse(reply.body)["translations"];
  ASSERT_EQ(list.size(), 3u);
  EXPECT_EQ(list[0]["text"], "de:a");
  EXPECT_EQ(list[1]["text"], "de:");
  EXPECT_EQ(list[2]["text"], "de:c");
  EXPECT_EQ(list[2]["source"], "fr");
  EXPECT_EQ(list[2]["detected"], false);
}

TEST_F(ServiceTest, AnswersWithWhatIsToldBeforeTheTranslatorReturns) {
  start();
  fake->play_with([](auto& script) { script.at_once = true; });
  Client client(port);
  const auto plain = translate_request({{"text", "a"}, {"target", "en"}});
  const auto streamed = translate_request({{"text", "b"}, {"target", "en"}, {"stream", true}});
  for (int round = 0; round < 50; ++round) {
    client.send(plain + streamed + plain);
    EXPECT_EQ(Json::parse(client.read().body)["translations"][0]["text"], "en:a");
    EXPECT_EQ(client.read_head().status, 200);
    std::string last, event;
    while (!(event = client.read_event()).empty()) last = event;
    EXPECT_EQ(last, "[DONE]");
    EXPECT_EQ(Json::parse(client.read().body)["translations"][0]["text"], "en:a");
  }
  fake->play_with([](auto& script) {
    script.at_once = true;
    script.fail = Error{Code::deadline, "too late", "deadline_ms"};
  });
  EXPECT_EQ(translate({{"text", "a"}, {"target", "en"}}).status, 504);
}

TEST_F(ServiceTest, PassesOnWhatItWasAsked) {
  options.deadline = std::chrono::seconds(30);
  start();
  const auto before = SteadyClock().now();
  EXPECT_EQ(translate({{"text", "a"},
                       {"target", "en"},
                       {"beams", 3},
                       {"stop", "x"},
                       {"priority", "bulk"},
                       {"deadline_ms", 100'000}})
                .status,
            200);
  auto last = fake->last();
  EXPECT_EQ(last.params.beams, 3);
  EXPECT_EQ(last.stop, std::vector<std::string>{"x"});
  EXPECT_EQ(last.client, "127.0.0.1");
  EXPECT_EQ(last.priority, engine::Priority::bulk);
  ASSERT_TRUE(last.deadline);
  EXPECT_GT(*last.deadline, before + std::chrono::seconds(99));
  EXPECT_EQ(translate({{"text", "a"}, {"target", "en"}}).status, 200);
  last = fake->last();
  EXPECT_LT(*last.deadline, before + std::chrono::seconds(90)) << "the service's own deadline";
}

TEST_F(ServiceTest, RecommendedSamplingIsTheModelCards) {
  start();
  translate({{"text", "a"}, {"target", "en"}, {"sampling", "recommended"}, {"top_k", 5}});
  const auto params = fake->last().params;
  EXPECT_EQ(params.temperature, 0.7f);
  EXPECT_EQ(params.top_k, 5) << "what is given stays";
  EXPECT_EQ(params.top_p, 0.6f);
  EXPECT_EQ(params.repetition_penalty, 1.05f);
}

TEST_F(ServiceTest, WhatMayBeRememberedIsTheClientsToSay) {
  start();
  const auto asked = [&](const std::string& headers, const Json& more = Json::object()) {
    Json body = {{"text", "a"}, {"target", "en"}};
    body.update(more);
    Client client(port);
    client.send(
        post_request("/v1/translate", body.dump(), "Content-Type: application/json\r\n" + headers));
    EXPECT_EQ(client.read().status, 200);
    const auto last = fake->last();
    return std::pair(last.recall, last.remember);
  };
  EXPECT_EQ(asked(""), std::pair(true, true));
  EXPECT_EQ(asked("Cache-Control: max-age=0, no-transform\r\n"), std::pair(true, true));
  EXPECT_EQ(asked("Cache-Control: no-cache\r\n"), std::pair(false, true));
  EXPECT_EQ(asked("cache-control: max-age=0 ,No-Store\r\n"), std::pair(false, false));
  EXPECT_EQ(asked("Cache-Control: no-cache\r\nCache-Control: no-store\r\n"),
            std::pair(false, false));
  EXPECT_EQ(asked("Cache-Control: ,,no-caches,\r\n"), std::pair(true, true));
  EXPECT_EQ(asked("", {{"temperature", 1}}), std::pair(false, false)) << "no seed";
  EXPECT_EQ(asked("", {{"temperature", 1}, {"seed", 7}}), std::pair(true, true));
}

TEST_F(ServiceTest, SamplingWithoutASeedDiffersEachTime) {
  start();
  const auto seed = [&](const Json& more = Json::object()) {
    Json body = {{"text", "a"}, {"target", "en"}, {"temperature", 1}};
    body.update(more);
    EXPECT_EQ(translate(body).status, 200);
    return fake->last().params.seed;
  };
  EXPECT_EQ(seed({{"seed", 7}}), 7u);
  const auto first = seed(), second = seed(), third = seed();
  EXPECT_TRUE(first != second || second != third);
}

TEST_F(ServiceTest, KnowsItsModelByItsNames) {
  options.model_alias = "demo";
  start();
  for (const char* name : {"Fake-MT", "fake-mt", "demo"}) {
    EXPECT_EQ(translate({{"text", "a"}, {"target", "en"}, {"model", name}}).status, 200) << name;
  }
  const auto reply = translate({{"text", "a"}, {"target", "en"}, {"model", "gpt-4"}});
  EXPECT_EQ(reply.status, 404);
  EXPECT_EQ(error_of(reply), "not_found model");
}

TEST_F(ServiceTest, BadRequestsGetOneClearErrorAndTheServiceLivesOn) {
  start();
  Client client(port);
  const auto error = [&](const std::string& body) {
    const auto reply = client.post("/v1/translate", body);
    EXPECT_EQ(reply.status, 400) << body;
    return error_of(reply);
  };
  EXPECT_EQ(error("{"), "invalid_argument");
  EXPECT_EQ(error(""), "invalid_argument");
  EXPECT_EQ(error("[]"), "invalid_argument");
  EXPECT_EQ(error("\xff"), "invalid_argument");
  EXPECT_EQ(error(R"({"text": "\ud83d", "target": "en"})"), "invalid_argument");
  EXPECT_EQ(error(R"({"text": "a", "text": "b", "target": "en"})"), "invalid_argument text");
  EXPECT_EQ(error(R"({"target": "en"})"), "invalid_argument text");
  EXPECT_EQ(error(R"({"text": "a"})"), "invalid_argument target");
  EXPECT_EQ(error(R"({"text": "a", "target": "xx"})"), "invalid_argument target");
  EXPECT_EQ(error(R"({"text": "a", "target": "en", "max_tokens": 0})"),
            "invalid_argument max_tokens");
  EXPECT_EQ(error(R"({"text": "a", "target": "en", ")" + std::string(500'000, 'k') + R"(": 0})"),
            "invalid_argument " + std::string(80, 'k'));
  EXPECT_EQ(client.post("/v1/translate", R"({"text": "a", "target": "en"})").status, 200);
}

TEST_F(ServiceTest, EngineErrorsKeepTheirStatus) {
  start();
  const auto refuse_with = [&](Code code) {
    fake->play_with([&](auto& script) { script.refuse = Error{code, "why", "target"}; });
    return translate({{"text", "a"}, {"target", "en"}});
  };
  EXPECT_EQ(refuse_with(Code::unsupported).status, 422);
  EXPECT_EQ(refuse_with(Code::too_large).status, 413);
  auto reply = refuse_with(Code::queue_full);
  EXPECT_EQ(reply.status, 429);
  EXPECT_GE(std::stoi(reply.headers.at("retry-after")), 1);
  EXPECT_EQ(error_of(reply), "queue_full target");
  reply = refuse_with(Code::unavailable);
  EXPECT_EQ(reply.status, 503);
  EXPECT_GE(std::stoi(reply.headers.at("retry-after")), 1);

  for (const bool late : {false, true}) {
    fake->play_with([&](auto& script) {
      script.fail = Error{Code::deadline, "too late", {}};
      script.late = late;
    });
    reply = translate({{"text", "a long text"}, {"target", "en"}});
    EXPECT_EQ(reply.status, 504);
    EXPECT_EQ(error_of(reply), "deadline");
  }
}

TEST_F(ServiceTest, DetectsLanguages) {
  start();
  auto reply = post(port, "/v1/detect", R"({"text": "hello"})");
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(Json::parse(reply.body),
            Json::parse(R"({"detections": [{"language": "en", "confidence": 0.75}]})"));
  reply = post(port, "/v1/detect", R"({"text": ["你好", ""]})");
  const Json list = Json::parse(reply.body)["detections"];
  EXPECT_EQ(list[0]["language"], "zh");
  EXPECT_EQ(list[1]["language"], nullptr);
  reply = post(port, "/v1/detect", R"({"q": "hello"})");
  EXPECT_EQ(reply.status, 400);
  EXPECT_EQ(error_of(reply), "invalid_argument text");
  EXPECT_EQ(error_of(post(port, "/v1/detect", R"({"text": "a", "x": 1})")), "invalid_argument x");
}

TEST_F(ServiceTest, ListsLanguagesAndWhatTheModelCanDo) {
  start();
  const Json list = Json::parse(get(port, "/v1/languages").body)["languages"];
  EXPECT_EQ(list.size(), 38u);
  std::map<std::string, Json> by_code;
  for (const auto& one : list) by_code[one["code"]] = one;
  EXPECT_EQ(by_code["ar"], Json::parse(R"({"code": "ar", "english": "Arabic", "chinese":
    "阿拉伯语", "native": "العربية", "rtl": true, "supported": true})"));
  EXPECT_EQ(by_code["bo"]["supported"], false);
  EXPECT_EQ(by_code["zh"]["rtl"], false);
}

TEST_F(ServiceTest, ListsTheModel) {
  options.model_alias = "demo";
  start();
  const Json reply = Json::parse(get(port, "/v1/models").body);
  EXPECT_EQ(reply["object"], "list");
  const Json& model = reply["data"][0];
  EXPECT_EQ(model["id"], "Fake-MT");
  EXPECT_EQ(model["object"], "model");
  EXPECT_EQ(model["alias"], "demo");
  EXPECT_EQ(model["languages"].size(), 37u);
  EXPECT_EQ(model["max_input_tokens"], 4096);
  EXPECT_EQ(model["recommended"].dump(),
            R"({"repetition_penalty":1.05,"temperature":0.7,"top_k":20,"top_p":0.6})");
}

TEST_F(ServiceTest, IsHealthyBeforeItIsReady) {
  start(false);
  EXPECT_EQ(get(port, "/health").status, 200);
  EXPECT_EQ(get(port, "/metrics").status, 200);
  for (const char* path : {"/ready", "/v1/languages", "/v1/models"}) {
    const auto reply = get(port, path);
    EXPECT_EQ(reply.status, 503) << path;
    EXPECT_EQ(error_of(reply), "unavailable");
    EXPECT_TRUE(reply.headers.contains("retry-after"));
  }
  EXPECT_EQ(translate({{"text", "a"}, {"target", "en"}}).status, 503);
  service->set_translator(fake);
  EXPECT_EQ(get(port, "/ready").status, 200);
  EXPECT_EQ(translate({{"text", "a"}, {"target", "en"}}).status, 200);
}

TEST_F(ServiceTest, UnknownPathsAre404AndWrongMethods405) {
  start();
  for (const char* path : {"/nothing", "/v1", "/v1/translate/", "/V1/translate", "//health",
                           "/health/..", "/%2e%2e/%2e%2e/etc/passwd", "/../../etc/passwd",
                           "/static/..%2f..%2fetc/passwd", "/..%5c..%5cwindows"}) {
    const auto reply = get(port, path);
    EXPECT_EQ(reply.status, 404) << path;
    EXPECT_EQ(error_of(reply), "not_found");
  }
  const auto reply = get(port, "/v1/translate");
  EXPECT_EQ(reply.status, 405);
  EXPECT_EQ(error_of(reply), "method_not_allowed");
  EXPECT_EQ(reply.headers.at("allow"), "OPTIONS, POST");
  EXPECT_EQ(post(port, "/health", "").headers.at("allow"), "GET, HEAD, OPTIONS");
}

TEST_F(ServiceTest, AnswersHeadAndOptions) {
  start();
  Client client(port);
  client.send("HEAD /health HTTP/1.1\r\nHost: localhost\r\n\r\n");
  auto reply = client.read(true);
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(reply.headers.at("content-length"), std::to_string(client.get("/health").body.size()));
  client.send("HEAD /nothing HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read(true).status, 404);
  client.send("OPTIONS /v1/translate HTTP/1.1\r\nHost: localhost\r\n\r\n");
  reply = client.read();
  EXPECT_EQ(reply.status, 204);
  EXPECT_EQ(reply.headers.at("allow"), "OPTIONS, POST");
  EXPECT_FALSE(reply.headers.contains("content-length"));
  client.send("OPTIONS * HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read().headers.at("allow"), "GET, HEAD, OPTIONS, POST");
}

TEST_F(ServiceTest, ForeignPagesGetNothing) {
  start();
  const std::string own = "127.0.0.1:" + std::to_string(port);
  const auto status = [&](const std::string& host, const std::string& origin) {
    Client client(port);
    client.send("GET /v1/models HTTP/1.1\r\nHost: " + host + "\r\n" +
                (origin.empty() ? "" : "Origin: " + origin + "\r\n") + "\r\n");
    const auto reply = client.read();
    EXPECT_FALSE(reply.headers.contains("access-control-allow-origin"));
    return reply.status;
  };
  EXPECT_EQ(status(own, ""), 200);
  EXPECT_EQ(status(own, "http://" + own), 200);
  EXPECT_EQ(status(own, "https://evil.example"), 403);
  EXPECT_EQ(status(own, "null"), 403);
  EXPECT_EQ(status("evil.example", ""), 403);
  EXPECT_EQ(status("evil.example", "http://evil.example"), 403);
  Client client(port);
  client.send("GET http://evil.example/health HTTP/1.1\r\nHost: " + own + "\r\n\r\n");
  EXPECT_EQ(client.read().status, 403) << "the absolute form counts";
  client.send("OPTIONS /v1/translate HTTP/1.1\r\nHost: " + own +
              "\r\nOrigin: https://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n");
  EXPECT_EQ(client.read().status, 403) << "a preflight";
  client.send(post_request("/v1/translate", R"({"text": "a", "target": "en"})",
                           "Origin: https://evil.example\r\nContent-Type: text/plain\r\n"));
  EXPECT_EQ(client.read().status, 403);
  EXPECT_FALSE(fake->wait_begun(0) && fake->live() > 0);
}

TEST_F(ServiceTest, ServesThePage) {
  assets = {{"/", "text/html; charset=utf-8", "<!doctype html>", "\"abc\""},
            {"/js/main.js", "text/javascript; charset=utf-8", "export {};", "\"def\""}};
  start();
  const auto page = get(port, "/");
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.body, "<!doctype html>");
  EXPECT_EQ(page.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.headers.at("etag"), "\"abc\"");
  EXPECT_EQ(page.headers.at("x-content-type-options"), "nosniff");
  const auto policy = page.headers.at("content-security-policy");
  EXPECT_NE(policy.find("default-src 'none'"), std::string::npos);
  EXPECT_NE(policy.find("frame-ancestors 'none'"), std::string::npos);
  EXPECT_EQ(policy.find("unsafe"), std::string::npos);
  EXPECT_EQ(get(port, "/js/main.js").body, "export {};");
  EXPECT_EQ(get(port, "/js/").status, 404);

  Client client(port);
  client.send(get_request("/", "If-None-Match: \"zzz\", W/\"abc\"\r\n"));
  const auto unchanged = client.read();
  EXPECT_EQ(unchanged.status, 304);
  EXPECT_EQ(unchanged.headers.at("etag"), "\"abc\"");
  client.send(get_request("/", "If-None-Match: \"zzz\"\r\n"));
  EXPECT_EQ(client.read().status, 200);
  client.send("HEAD / HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_EQ(client.read(true).headers.at("content-length"), "15");
}

TEST(Etags, CompareWeaklyAgainstAList) {
  using server::etag_matches;
  EXPECT_TRUE(etag_matches("\"a\"", "\"a\""));
  EXPECT_TRUE(etag_matches("W/\"a\"", "\"a\""));
  EXPECT_TRUE(etag_matches("\"x\" , \"a\"", "\"a\""));
  EXPECT_TRUE(etag_matches(" * ", "\"a\""));
  EXPECT_FALSE(etag_matches("", "\"a\""));
  EXPECT_FALSE(etag_matches("a", "\"a\""));
  EXPECT_FALSE(etag_matches("\"b\",,", "\"a\""));
}

TEST_F(ServiceTest, CountsRequestsInABoundedNumberOfSeries) {
  start();
  Client client(port);
  client.get("/health");
  client.get("/nothing");
  EXPECT_EQ(metric("hymt_http_requests_total{path=\"/health\",code=\"200\"}"), 1);
  EXPECT_EQ(metric("hymt_http_requests_total{path=\"other\",code=\"404\"}"), 1);
  EXPECT_GE(metric("hymt_http_connections"), 1);
  EXPECT_EQ(metric("hymt_http_in_flight"), 1) << "this one";
  const auto lines = [&] {
    const auto text = get(port, "/metrics").body;
    return std::count(text.begin(), text.end(), '\n');
  };
  get(port, "/metrics");
  const auto before = lines();
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_EQ(client.get("/random/" + std::to_string(i) + "?q=" + std::to_string(i)).status, 404);
  }
  EXPECT_EQ(lines(), before);
  EXPECT_EQ(metric("hymt_http_requests_total{path=\"other\",code=\"404\"}"), 1'001);
}

}  // namespace
}  // namespace hymt::test
