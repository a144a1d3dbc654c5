#include "translate/stop_filter.h"

#include <gtest/gtest.h>

#include <random>

#include "translate/one_line.h"

namespace hymt::translate {
namespace {

std::string filtered(const std::vector<std::string>& stops,
                     const std::vector<std::string>& pieces) {
  StopFilter filter(stops);
  std::string out;
  for (const auto& piece : pieces) out += filter.push(piece);
  return out + filter.finish();
}

TEST(StopFilter, NothingOfAStopStringLeaks) {
  EXPECT_EQ(filtered({"STOP"}, {"go S", "TO", "P and more"}), "go ");
  EXPECT_EQ(filtered({"STOP"}, {"go STOP"}), "go ");
  EXPECT_EQ(filtered({"。"}, {"你好。再见"}), "你好");
}

TEST(StopFilter, WhatOnlyBeganLikeOneIsGivenOutInTheEnd) {
  StopFilter filter({"STOP"});
  EXPECT_EQ(filter.push("go STO"), "go ");
  EXPECT_EQ(filter.push("RM ST"), "STORM ");
  EXPECT_FALSE(filter.stopped());
  EXPECT_EQ(filter.finish(), "ST");
}

TEST(StopFilter, TheOneThatIsCompleteFirstEndsTheText) {
  EXPECT_EQ(filtered({"bcd", "c"}, {"abcd"}), "ab");
  EXPECT_EQ(filtered({"c", "bc"}, {"abcd"}), "a");  // both end there: the longer one
  EXPECT_EQ(filtered({"aab"}, {"aaa", "ab"}), "aa");
}

TEST(StopFilter, WithoutStopStringsTextPassesThrough) {
  StopFilter filter({});
  EXPECT_EQ(filter.push("all of it"), "all of it");
  EXPECT_EQ(filter.finish(), "");
}

// Said once more, naively: try every end, shortest first; there the longest stop string.
std::string oracle(const std::vector<std::string>& stops, const std::string& text) {
  for (size_t end = 0; end <= text.size(); ++end) {
    size_t longest = 0;
    for (const auto& stop : stops) {
      if (text.substr(0, end).ends_with(stop)) longest = std::max(longest, stop.size());
    }
    if (longest > 0) return text.substr(0, end - longest);
  }
  return text;
}

TEST(StopFilter, ResultsDoNotDependOnHowTheStreamIsCut) {
  std::mt19937 random(2);
  const auto letters = [&](size_t n) {
    std::string out;
    for (size_t i = 0; i < n; ++i) out += static_cast<char>('a' + random() % 3);
    return out;
  };
  for (int round = 0; round < 5000; ++round) {
    std::vector<std::string> stops;
    for (size_t i = 0; i < 1 + random() % 3; ++i) stops.push_back(letters(1 + random() % 5));
    const std::string text = letters(random() % 30);
    std::vector<std::string> pieces;
    for (size_t at = 0; at < text.size();) {
      const size_t n = 1 + random() % 4;
      pieces.push_back(text.substr(at, n));
      at += n;
    }
    EXPECT_EQ(filtered(stops, pieces), oracle(stops, text)) << text;
  }
}

std::string one_line(const std::vector<std::string>& pieces) {
  OneLine line;
  std::string out;
  for (const auto& piece : pieces) out += line.push(piece);
  return out;
}

TEST(OneLine, MarginsOfAnAnswerAreDropped) {
  EXPECT_EQ(one_line({"\n", " Hello", " ", "world", " \n", "\n"}), "Hello world");
  EXPECT_EQ(one_line({"\xE3\x80\x80你好\xE3\x80\x80"}), "你好");
  EXPECT_EQ(one_line({" ", "\n"}), "");
}

TEST(OneLine, LineBreaksInsideBecomeASpaceAndOtherSpacesStay) {
  EXPECT_EQ(one_line({"one \n", "\ntwo"}), "one two");
  EXPECT_EQ(one_line({"one\r\ntwo"}), "one two");
  EXPECT_EQ(one_line({"a  b\xC2\xA0", "c\t", "d"}),
            "a  b\xC2\xA0"
            "c\td");
}

}  // namespace
}  // namespace hymt::translate
