#include "cli/passages.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "translate/rig.h"

namespace hymt::cli {
namespace {

using testing::ElementsAre;
using testing::SizeIs;

TEST(Passages, CoverTheTextInWholeLines) {
  EXPECT_THAT(passages("one\ntwo\nthree\n", 8), ElementsAre("one\ntwo\n", "three\n"));
  EXPECT_THAT(passages("one\ntwo", 100), ElementsAre("one\ntwo"));
  EXPECT_THAT(passages("a line that is too long\nb\nc", 4),
              ElementsAre("a line that is too long\n", "b\nc"));
  EXPECT_THAT(passages("no line break at all", 4), ElementsAre("no line break at all"));
  EXPECT_THAT(passages("", 4), ElementsAre(""));
}

translate::Request to_french(std::string source = "en") {
  translate::Request request;
  request.source = std::move(source);
  request.target = "fr";
  return request;
}

// As the command sets its engine up: one caller, who waits in no queue.
test::RigOptions unqueued() {
  test::RigOptions options;
  options.engine.max_queue = 100'000;
  return options;
}

TEST(Passages, ALongTextIsTranslatedInOrder) {
  test::Rig rig(test::shout, unqueued());
  std::string text;
  for (int i = 0; i < 3000; ++i) text += "line " + std::to_string(i) + (i % 3 ? "\n" : "\r\n\n");
  std::string streamed;
  size_t last = 0;
  Events events;
  events.on_text = [&](std::string_view piece) { streamed += piece; };
  events.on_progress = [&](size_t done, size_t total) {
    EXPECT_GT(done, last);
    EXPECT_EQ(total, text.size());
    last = done;
  };
  const auto reply = translate_long(rig.translator, to_french(), text, events);
  ASSERT_TRUE(reply) << reply.error().message;
  ASSERT_THAT(reply->translations, SizeIs(1));
  EXPECT_EQ(reply->translations[0].text, test::shout(text));
  EXPECT_EQ(streamed, reply->translations[0].text);
  EXPECT_EQ(last, text.size());
  EXPECT_GT(reply->usage.output_tokens, 3000);
}

TEST(Passages, TheSourceIsDetectedOnceForTheWholeText) {
  test::Rig rig(test::shout, unqueued());
  std::string text = "Das ist ein deutscher Text und er beginnt mit einem langen Satz.\n";
  for (int i = 0; i < 100; ++i) text += "Hotel Taxi Radio Park Restaurant Computer\n";
  const auto reply = translate_long(rig.translator, to_french("auto"), text, {});
  ASSERT_TRUE(reply);
  EXPECT_TRUE(reply->translations[0].detected);
  EXPECT_EQ(reply->translations[0].source, rig.translator.detect(text).language);
}

TEST(Passages, WarningsAreToldOnce) {
  test::Rig rig(test::shout, unqueued());
  std::string text;
  for (int i = 0; i < 300; ++i) text += "this is line number " + std::to_string(i) + "\n";
  auto request = to_french();
  request.style = "formal";
  const auto reply = translate_long(rig.translator, request, text, {});
  ASSERT_TRUE(reply);
  EXPECT_THAT(reply->translations[0].warnings, SizeIs(1));
}

TEST(Passages, AnErrorEndsTheWork) {
  std::atomic<int> forwards{0};
  test::RigOptions options = unqueued();
  options.before_forward = [&]() -> Result<void> {
    if (++forwards == 20) return fail(Code::internal, "the machine failed");
    return {};
  };
  test::Rig rig(test::shout, options);
  std::string text;
  for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + "\n";
  const auto reply = translate_long(rig.translator, to_french(), text, {});
  ASSERT_FALSE(reply);
  EXPECT_EQ(reply.error().message, "the machine failed");
}

}  // namespace
}  // namespace hymt::cli
