// The translator with a memory in front of its engine.
#include <gtest/gtest.h>

#include <thread>

#include "translate/rig.h"

namespace hymt::translate {
namespace {

using engine::FinishReason;
using test::Recorder;
using test::request_for;
using test::Rig;

test::RigOptions remembering() {
  test::RigOptions options;
  options.memory.bytes = 1 << 20;
  return options;
}

uint64_t generated(Rig& rig) {
  return rig.metrics.counter("hymt_engine_generated_tokens_total", "").value();
}

TEST(Remembering, AReplyIsTheSameWhetherComputedOrRemembered) {
  for (const int kind : {0, 1, 2}) {
    Rig rig([](std::string_view text) { return " " + test::shout(text) + "北京 \n"; },
            remembering());
    Request request = request_for({"  one\n\ntwo", "***", "three"});
    if (kind == 1) request.params.beams = 3;
    if (kind == 2) request.alternatives = 2;
    const auto first = rig.translate(request);
    const auto work = generated(rig);
    const auto again = rig.translate(request);
    EXPECT_EQ(generated(rig), work);
    EXPECT_EQ(again.usage.input_tokens, first.usage.input_tokens);
    EXPECT_EQ(again.usage.output_tokens, first.usage.output_tokens);
    for (size_t i = 0; i < 3; ++i) {
      EXPECT_EQ(again.translations[i].text, first.translations[i].text);
      EXPECT_EQ(again.translations[i].alternatives, first.translations[i].alternatives);
      EXPECT_EQ(again.translations[i].finish_reason, FinishReason::stop);
      EXPECT_FALSE(first.translations[i].cached);
      EXPECT_EQ(again.translations[i].cached, i != 1);
    }
  }
}

TEST(Remembering, SampledAnswersAreThoseOfTheirSeed) {
  Rig rig([](std::string_view) { return std::string("abcdefgh"); }, remembering());
  Request request = request_for({"hello"});
  request.params.temperature = 5;
  request.params.top_p = 1;
  request.params.max_tokens = 8;
  request.params.seed = 7;
  request.alternatives = 2;
  const auto first = rig.translate(request).translations[0];
  const auto again = rig.translate(request).translations[0];
  EXPECT_TRUE(again.cached);
  EXPECT_EQ(again.text, first.text);
  EXPECT_EQ(again.alternatives, first.alternatives);
  request.params.seed = 8;
  EXPECT_FALSE(rig.translate(request).translations[0].cached);
}

TEST(Remembering, APartlyRememberedDocumentIsToldInOrder) {
  Rig rig(test::shout, remembering());
  rig.translate("two");
  rig.translate("four");
  const auto translation = rig.translate("one\ntwo\nthree\nfour\ntwo\n");
  EXPECT_EQ(translation.text, "ONE\nTWO\nTHREE\nFOUR\nTWO\n");
  EXPECT_FALSE(translation.cached);
  EXPECT_TRUE(rig.translate("three\nfour").cached);
}

TEST(Remembering, ParagraphsThatRepeatInADocumentAreComputedOnce) {
  Rig rig(test::shout, remembering());
  const auto translation = rig.translate("same\nsame\n\nsame");
  EXPECT_EQ(translation.text, "SAME\nSAME\n\nSAME");
  EXPECT_EQ(generated(rig), 4u);
}

TEST(Remembering, AStopStringCutsARememberedAnswerWhereItCutsAComputedOne) {
  Rig rig([](std::string_view text) { return test::shout(text) + " <END> and more"; },
          remembering());
  Request request = request_for({"hello"});
  EXPECT_EQ(rig.translate(request).translations[0].text, "HELLO <END> and more");
  request.stop = {"<END>"};
  const auto cut = rig.translate(request);
  EXPECT_TRUE(cut.translations[0].cached);
  EXPECT_EQ(cut.translations[0].text, "HELLO");
  EXPECT_EQ(cut.translations[0].finish_reason, FinishReason::stop);
  // As many tokens were told as the computed answer had when it was cut.
  Rig fresh([](std::string_view text) { return test::shout(text) + " <END> and more"; });
  EXPECT_EQ(cut.usage.output_tokens, fresh.translate(request).usage.output_tokens);
}

TEST(Remembering, AnAnswerCutByAStopStringIsNotTakenForTheWholeOne) {
  Rig rig([](std::string_view text) { return test::shout(text) + " <END> and more"; },
          remembering());
  Request request = request_for({"hello"});
  request.stop = {"<END>"};
  rig.translate(request);
  request.stop = {};
  EXPECT_EQ(rig.translate(request).translations[0].text, "HELLO <END> and more");
}

TEST(Remembering, WhoeverListensOrLeavesEachHearsAllOfItsOwn) {
  Rig rig([](std::string_view text) { return test::shout(text) + "北京😀é"; }, remembering());
  std::vector<std::thread> threads;
  for (unsigned t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      for (unsigned round = 0; round < 60; ++round) {
        const std::string name = "text " + std::to_string((round * 7 + t) % 20);
        const auto recorder = std::make_shared<Recorder>();
        auto ticket = rig.translator.translate(request_for({name + "\n\n" + name, name}), recorder);
        ASSERT_TRUE(ticket);
        const bool leaves = (round + t) % 5 == 0;
        if (leaves) ticket->reset();
        const auto reply = recorder->wait();
        ASSERT_TRUE(reply);
        if (leaves) continue;
        const std::string one = test::shout(name) + "北京😀é";
        EXPECT_EQ(reply->translations[0].text, one + "\n\n" + one);
        EXPECT_EQ(reply->translations[1].text, one);
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

}  // namespace
}  // namespace hymt::translate
