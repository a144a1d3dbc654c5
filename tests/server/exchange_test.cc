#include "server/http/exchange.h"

#include <gtest/gtest.h>

#include <thread>

namespace hymt::server::http {
namespace {

const ErrorFormat kErrors{[](const Error& error) {
                            Response response;
                            response.status = http_status(error.code);
                            response.body = error.message;
                            return response;
                          },
                          [](const Error& error) { return "event:" + error.message; }};

std::shared_ptr<Exchange> make(size_t max_backlog = 100) {
  return std::make_shared<Exchange>(Request{}, kErrors, max_backlog);
}

Response with_body(std::string body) {
  Response response;
  response.body = std::move(body);
  return response;
}

TEST(Exchange, GivesTheFirstAnswerOnly) {
  const auto exchange = make();
  exchange->respond(with_body("one"));
  exchange->respond(with_body("two"));
  exchange->fail({Code::internal, "three", {}});
  const auto output = exchange->take();
  ASSERT_TRUE(output.head);
  EXPECT_EQ(output.head->body, "one");
  EXPECT_TRUE(output.finished);
  EXPECT_FALSE(output.streaming);
  EXPECT_FALSE(exchange->take().head);
}

TEST(Exchange, MakesALateAnswerWhenItIsTaken) {
  const auto exchange = make();
  bool made = false;
  exchange->respond_by([&] {
    made = true;
    return with_body("late");
  });
  EXPECT_FALSE(made);
  EXPECT_EQ(exchange->take().head->body, "late");
  EXPECT_TRUE(made);
}

TEST(Exchange, StreamsInOrderAndEnds) {
  const auto exchange = make();
  exchange->write("lost: not started");
  exchange->start({});
  exchange->write("a");
  exchange->write("b");
  auto output = exchange->take();
  EXPECT_TRUE(output.head && output.streaming && !output.finished);
  EXPECT_EQ(output.bytes, "ab");
  exchange->write("c");
  exchange->finish();
  exchange->write("after the end");
  output = exchange->take();
  EXPECT_FALSE(output.head);
  EXPECT_EQ(output.bytes, "c");
  EXPECT_TRUE(output.finished);
}

TEST(Exchange, AStreamFinishedBeforeItIsTakenIsStillAStream) {
  const auto exchange = make();
  exchange->start({});
  exchange->write("all");
  exchange->finish();
  const auto output = exchange->take();
  EXPECT_TRUE(output.head && output.streaming && output.finished);
  EXPECT_EQ(output.bytes, "all");
}

TEST(Exchange, AnErrorIsAReplyBeforeAStreamAndAnEventInIt) {
  auto exchange = make();
  exchange->fail({Code::deadline, "late", {}});
  EXPECT_EQ(exchange->take().head->status, 504);
  exchange = make();
  exchange->start({});
  exchange->fail({Code::deadline, "late", {}});
  const auto output = exchange->take();
  EXPECT_EQ(output.head->status, 200);
  EXPECT_EQ(output.bytes, "event:late");
  EXPECT_TRUE(output.finished);
}

TEST(Exchange, WakesOnceUntilTaken) {
  const auto exchange = make();
  int woken = 0;
  exchange->attach([&] { ++woken; });
  exchange->start({});
  exchange->write("a");
  EXPECT_EQ(woken, 1);
  exchange->take();
  exchange->write("b");
  exchange->finish();
  EXPECT_EQ(woken, 2);
}

TEST(Exchange, BoundsWhatWaitsForASlowReader) {
  const auto exchange = make(10);
  exchange->start({});
  exchange->write(
      std::string(50, 'x'));  // one piece may be large, and what ends it follows at once
  exchange->write("y");
  EXPECT_FALSE(exchange->overflowed());
  exchange->write(std::string(20, 'z'));
  exchange->write("y");
  EXPECT_TRUE(exchange->overflowed());
  EXPECT_EQ(exchange->take().bytes, "");
}

TEST(Exchange, WakesAWriterThatTakesNothingWhenItOverflows) {
  const auto exchange = make(100);
  int wakes = 0;
  exchange->attach([&] { ++wakes; });
  exchange->start({});
  exchange->take();
  exchange->write(std::string(101, 'x'));  // seen, but not taken: the writer is busy
  exchange->write(std::string(101, 'x'));
  const int before = wakes;
  exchange->write("more");
  EXPECT_TRUE(exchange->overflowed());
  EXPECT_EQ(wakes, before + 1);
}

TEST(Exchange, DropsWhatItHoldsWhenClosedAndNotBefore) {
  const auto exchange = make();
  auto work = std::make_shared<int>(1);
  const std::weak_ptr<int> watch = work;
  exchange->hold(std::move(work));
  exchange->respond({});
  exchange->take();
  EXPECT_FALSE(watch.expired());
  exchange->close();
  EXPECT_TRUE(watch.expired());
  auto late = std::make_shared<int>(2);
  const std::weak_ptr<int> watch_late = late;
  exchange->hold(std::move(late));
  EXPECT_TRUE(watch_late.expired());
}

TEST(Exchange, IsQuietOnceClosed) {
  const auto exchange = make();
  int woken = 0;
  exchange->attach([&] { ++woken; });
  exchange->close();
  exchange->start({});
  exchange->write("a");
  exchange->fail({Code::internal, "x", {}});
  EXPECT_EQ(woken, 0);
  EXPECT_TRUE(exchange->over());
}

TEST(Exchange, MayBeAnsweredFromAnyThread) {
  const auto exchange = make(1 << 20);
  exchange->start({});
  std::thread writer([&] {
    for (int i = 0; i < 1000; ++i) exchange->write("0123456789");
    exchange->finish();
  });
  std::string all;
  while (true) {
    auto output = exchange->take();
    all += output.bytes;
    if (output.finished) break;
  }
  writer.join();
  EXPECT_EQ(all.size(), 10000u);
}

}  // namespace
}  // namespace hymt::server::http
