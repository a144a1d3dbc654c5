#include "base/json.h"

#include <gmock/gmock.h>

#include <nlohmann/json.hpp>

namespace hymt {
namespace {

using testing::StartsWith;

TEST(ParseJson, GivesTheValue) {
  const auto value = parse_json(R"({"a": [1, "\ud83d\ude00", null]})", "x.json");
  ASSERT_TRUE(value) << value.error().message;
  EXPECT_EQ((*value)["a"][1], "\U0001F600");
}

TEST(ParseJson, NamesTheSourceAndTheByte) {
  const auto value = parse_json("{\"a\" 1}", "x.json");
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().code, Code::invalid_argument);
  EXPECT_EQ(value.error().message, "x.json: not JSON, at byte 6");
}

TEST(ParseJson, RefusesWhatIsNoJson) {
  for (const char* text : {"", "{", "[1,]", "nul", "\"\xFF\"", "\"\\ud83d\"", "1 2",
                           "{\"a\":1e999}", "\xEF\xBB", "'a'"}) {
    const auto value = parse_json(text, "x.json");
    ASSERT_FALSE(value) << text;
    EXPECT_THAT(value.error().message, StartsWith("x.json: "));
  }
}

TEST(ParseJson, BoundsNesting) {
  const auto nested = [](int depth) {
    return std::string(static_cast<size_t>(depth), '[') +
           std::string(static_cast<size_t>(depth), ']');
  };
  EXPECT_TRUE(parse_json(nested(64), "x.json"));
  EXPECT_FALSE(parse_json(nested(65), "x.json"));
  EXPECT_FALSE(parse_json(std::string(10'000'000, '['), "x.json"));
  EXPECT_TRUE(
      parse_json("\"" + std::string(1000, '[') + "\\\"" + std::string(1000, '{') + "\"", "x.json"))
      << "brackets in strings do not nest";
}

}  // namespace
}  // namespace hymt
