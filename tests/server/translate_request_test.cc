#include "server/api/translate_request.h"

#include <gtest/gtest.h>

namespace hymt::server::api {
namespace {

Result<TranslateCall> parse(const std::string& fields) {
  const auto json = parse_json("{\"text\": \"x\", \"target\": \"en\"" + fields + "}");
  EXPECT_TRUE(json) << fields;
  return parse_translate(*json);
}

TEST(TranslateRequest, ItsDefaultsAreGreedy) {
  const auto call = parse("");
  ASSERT_TRUE(call);
  EXPECT_EQ(call->request.texts, std::vector<std::string>{"x"});
  EXPECT_EQ(call->request.source, "auto");
  EXPECT_EQ(call->request.target, "en");
  EXPECT_FALSE(call->stream);
  EXPECT_FALSE(call->deadline);
  const auto& params = call->request.params;
  EXPECT_EQ(params.temperature, 0);
  EXPECT_EQ(params.top_k, 20);
  EXPECT_FLOAT_EQ(params.top_p, 0.6f);
  EXPECT_FLOAT_EQ(params.repetition_penalty, 1.05f);
  EXPECT_EQ(params.max_tokens, translate::kNoLimit);
  EXPECT_EQ(params.beams, 1);
  EXPECT_EQ(params.length_penalty, 1);
  EXPECT_EQ(params.min_tokens, 0);
  EXPECT_FALSE(params.early_stopping || params.ignore_eos);
  EXPECT_EQ(call->request.alternatives, 0);
  EXPECT_EQ(call->request.priority, engine::Priority::interactive);
}

TEST(TranslateRequest, TakesEveryField) {
  const auto call = parse(R"(, "source": "zh", "format": "text", "stream": true, "model": "m",
    "context": "c", "glossary": {"b": "2", "a": "1"}, "style": "s", "alternatives": 8, "beams": 4,
    "temperature": 0.5, "top_k": 0, "top_p": 1, "repetition_penalty": 1, "max_tokens": 7,
    "min_tokens": 7, "seed": 18446744073709551615, "length_penalty": -0.5, "early_stopping": true,
    "ignore_eos": true, "priority": "bulk", "deadline_ms": 1500, "stop": ["a", "b"],
    "sampling": "recommended")");
  ASSERT_TRUE(call) << call.error().message;
  EXPECT_EQ(call->request.source, "zh");
  EXPECT_TRUE(call->stream && call->recommended && call->seeded && call->temperature);
  EXPECT_EQ(call->model, "m");
  EXPECT_EQ(call->request.context, "c");
  EXPECT_EQ(call->request.style, "s");
  EXPECT_EQ(call->request.glossary.size(), 2u);
  EXPECT_EQ(call->request.alternatives, 8);
  EXPECT_EQ(call->request.params.beams, 4);
  EXPECT_EQ(call->request.params.temperature, 0.5f);
  EXPECT_EQ(call->request.params.top_k, 0);
  EXPECT_EQ(call->request.params.max_tokens, 7);
  EXPECT_EQ(call->request.params.min_tokens, 7);
  EXPECT_EQ(call->request.params.seed, UINT64_MAX);
  EXPECT_EQ(call->request.params.length_penalty, -0.5f);
  EXPECT_TRUE(call->request.params.early_stopping && call->request.params.ignore_eos);
  EXPECT_EQ(call->request.priority, engine::Priority::bulk);
  EXPECT_EQ(call->deadline, std::chrono::milliseconds(1500));
  EXPECT_EQ(call->request.stop, (std::vector<std::string>{"a", "b"}));
}

TEST(TranslateRequest, NullMeansTheDefault) {
  EXPECT_TRUE(parse(R"(, "source": null, "stream": null, "beams": null, "stop": null,
    "glossary": null, "seed": null, "deadline_ms": null, "model": null)"));
}

struct Bad {
  const char* fields;
  const char* field;
};

TEST(TranslateRequest, NamesTheFieldThatIsWrong) {
  const Bad table[] = {
      {R"(, "source": 1)", "source"},
      {R"(, "stream": "yes")", "stream"},
      {R"(, "stream": 1)", "stream"},
      {R"(, "beams": 0)", "beams"},
      {R"(, "beams": 9)", "beams"},
      {R"(, "beams": 1.5)", "beams"},
      {R"(, "beams": "2")", "beams"},
      {R"(, "beams": 18446744073709551615)", "beams"},
      {R"(, "alternatives": -1)", "alternatives"},
      {R"(, "alternatives": 10000)", "alternatives"},
      {R"(, "temperature": -1)", "temperature"},
      {R"(, "temperature": 2.1)", "temperature"},
      {R"(, "temperature": "NaN")", "temperature"},
      {R"(, "temperature": [])", "temperature"},
      {R"(, "top_k": -1)", "top_k"},
      {R"(, "top_p": 0)", "top_p"},
      {R"(, "top_p": 1.01)", "top_p"},
      {R"(, "repetition_penalty": 0)", "repetition_penalty"},
      {R"(, "max_tokens": 0)", "max_tokens"},
      {R"(, "max_tokens": 100000000000)", "max_tokens"},
      {R"(, "min_tokens": -1)", "min_tokens"},
      {R"(, "min_tokens": 513, "max_tokens": 512)", "min_tokens"},
      {R"(, "seed": -1)", "seed"},
      {R"(, "seed": 1.0)", "seed"},
      {R"(, "seed": "1")", "seed"},
      {R"(, "length_penalty": 11)", "length_penalty"},
      {R"(, "early_stopping": 0)", "early_stopping"},
      {R"(, "ignore_eos": "true")", "ignore_eos"},
      {R"(, "priority": "high")", "priority"},
      {R"(, "priority": 1)", "priority"},
      {R"(, "sampling": "hot")", "sampling"},
      {R"(, "deadline_ms": 0)", "deadline_ms"},
      {R"(, "deadline_ms": -5)", "deadline_ms"},
      {R"(, "deadline_ms": 1e12)", "deadline_ms"},
      {R"(, "stop": [])", "stop"},
      {R"(, "stop": [""])", "stop"},
      {R"(, "stop": [1])", "stop"},
      {R"(, "stop": {"a": "b"})", "stop"},
      {R"(, "glossary": [])", "glossary"},
      {R"(, "glossary": {"a": 1})", "glossary"},
      {R"(, "glossary": {"": "a"})", "glossary"},
      {R"(, "context": 1)", "context"},
      {R"(, "style": {})", "style"},
      {R"(, "model": 5)", "model"},
      {R"(, "temprature": 1)", "temprature"},
      {R"(, "q": "libre")", "q"},
  };
  for (const Bad& bad : table) {
    const auto call = parse(bad.fields);
    ASSERT_FALSE(call) << bad.fields;
    EXPECT_EQ(call.error().code, Code::invalid_argument) << bad.fields;
    EXPECT_EQ(call.error().field, bad.field);
    EXPECT_FALSE(call.error().message.empty());
  }
}

TEST(TranslateRequest, SaysWhichFormatsItCannotRead) {
  const auto call = parse(R"(, "format": "html")");
  ASSERT_FALSE(call);
  EXPECT_EQ(call.error().code, Code::unsupported);
  EXPECT_EQ(call.error().field, "format");
}

TEST(TranslateRequest, NeedsTextsAndATarget) {
  const auto field_of = [](const std::string& body) {
    const auto call = parse_translate(*parse_json(body));
    return call ? std::string("none") : call.error().field;
  };
  EXPECT_EQ(field_of(R"({"target": "en"})"), "text");
  EXPECT_EQ(field_of(R"({"text": null, "target": "en"})"), "text");
  EXPECT_EQ(field_of(R"({"text": [], "target": "en"})"), "text");
  EXPECT_EQ(field_of(R"({"text": ["a", 1], "target": "en"})"), "text");
  EXPECT_EQ(field_of(R"({"text": {"a": "b"}, "target": "en"})"), "text");
  EXPECT_EQ(field_of(R"({"text": 7, "target": "en"})"), "text");
  EXPECT_EQ(field_of(R"({"text": "a"})"), "target");
  EXPECT_EQ(field_of(R"({"text": "a", "target": ""})"), "target");
  EXPECT_EQ(field_of(R"({"text": "a", "target": ["en"]})"), "target");
  EXPECT_EQ(field_of(R"({"text": "", "target": "en"})"), "none");
  Json many = {{"text", Json::array()}, {"target", "en"}};
  for (size_t i = 0; i < kMaxTexts; ++i) many["text"].push_back("a");
  EXPECT_TRUE(parse_translate(many));
  many["text"].push_back("a");
  EXPECT_FALSE(parse_translate(many));
}

}  // namespace
}  // namespace hymt::server::api
