// Expected behaviour: RFC 8259, and the strictness our errors promise.
#include "server/api/json.h"

#include <gtest/gtest.h>

namespace hymt::server::api {
namespace {

TEST(Json, TakesWhatIsJson) {
  const auto json = parse_json(R"({"text": "\ud83d\ude00 é 你好", "n": [1, -2.5e3, true, null]})");
  ASSERT_TRUE(json);
  EXPECT_EQ(json->at("text"), "\xF0\x9F\x98\x80 \xC3\xA9 \xE4\xBD\xA0\xE5\xA5\xBD");
  EXPECT_EQ(json->at("n").size(), 4u);
}

TEST(Json, RefusesWhatIsNot) {
  for (const char* bad : {"", " ", "{", "{]", "{\"a\":}", "{\"a\":1,}", "[1 2]", "nul", "NaN",
                          "{\"a\": NaN}", "{\"a\": Infinity}", "{'a': 1}", "{\"a\": 01}", "{} {}",
                          "{\"a\": \"\n\"}", "/* */ {}", "{\"a\": 1e999}", "\"\\x41\""}) {
    const auto json = parse_json(bad);
    ASSERT_FALSE(json) << bad;
    EXPECT_EQ(json.error().code, Code::invalid_argument) << bad;
  }
}

TEST(Json, RefusesHalfASurrogatePair) {
  for (const char* bad : {R"("\ud83d")", R"("\ude00")", R"("\ud83dx")", R"("\ud83d\u0041")",
                          R"("\ude00\ud83d")", R"({"\ud83d": 1})"}) {
    const auto json = parse_json(bad);
    ASSERT_FALSE(json) << bad;
    EXPECT_NE(json.error().message.find("surrogate"), std::string::npos) << json.error().message;
  }
}

TEST(Json, RefusesWhatIsNotUtf8AndSaysWhere) {
  for (const char* bad : {"{\"a\": \"\xff\"}", "{\"a\": \"\xc0\x80\"}", "{\"a\": \"\xed\xa0\x80\"}",
                          "{\"a\": \"\xf4\x90\x80\x80\"}", "{\"a\": \"\xe4\xbd\"}"}) {
    const auto json = parse_json(bad);
    ASSERT_FALSE(json);
    EXPECT_NE(json.error().message.find("UTF-8 at byte 8"), std::string::npos);
  }
}

TEST(Json, RefusesAKeyGivenTwiceInOneObject) {
  const auto json = parse_json(R"({"a": 1, "b": {"c": 1, "\u0063": 2}})");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().field, "c");
  EXPECT_TRUE(parse_json(R"([{"a": 1}, {"a": 2, "b": {"a": 3}}])"));
}

TEST(Json, RefusesDepth) {
  EXPECT_TRUE(parse_json(std::string(16, '[') + std::string(16, ']')));
  EXPECT_FALSE(parse_json(std::string(17, '[') + std::string(17, ']')));
  EXPECT_FALSE(parse_json(std::string(1'000'000, '[')));
}

TEST(Json, ItsErrorsDoNotRepeatTheText) {
  const auto json = parse_json("{\"text\": \"my secret\" oops}");
  ASSERT_FALSE(json);
  EXPECT_EQ(json.error().message.find("secret"), std::string::npos);
  EXPECT_NE(json.error().message.find("byte 22"), std::string::npos) << json.error().message;
}

http::Request request(const char* type, const char* body) {
  http::Request out;
  if (*type) out.headers = {{"content-type", type}};
  out.body = body;
  return out;
}

TEST(Json, ABodyIsAnObjectOfTheRightType) {
  for (const char* type : {"", "application/json", "Application/JSON; charset=utf-8"}) {
    EXPECT_TRUE(read_object(request(type, "{}"))) << type;
  }
  for (const char* type : {"text/plain", "application/x-www-form-urlencoded",
                           "multipart/form-data; boundary=x", "application/jsonx"}) {
    EXPECT_FALSE(read_object(request(type, "{}"))) << type;
  }
  for (const char* body : {"", "[]", "1", "\"text\"", "null"}) {
    EXPECT_FALSE(read_object(request("", body))) << body;
  }
}

TEST(Json, WritesAnything) {
  EXPECT_EQ(to_text({{"a", "x\xff\ny"}}), "{\"a\":\"x\xEF\xBF\xBD\\ny\"}");
}

}  // namespace
}  // namespace hymt::server::api
