// Tickets, threads and the moments at which they meet. Meant to be run under the thread sanitizer.
#include <gtest/gtest.h>

#include <future>

#include <atomic>
#include <random>
#include <thread>

#include "translate/rig.h"

namespace hymt::translate {
namespace {

using engine::FinishReason;
using test::Recorder;
using test::request_for;
using test::Rig;

void wait_until_idle(Rig& rig) {
  const auto busy = [&] {
    const auto status = rig.engine.status();
    return status.running + status.queued + status.blocks_used > 0;
  };
  while (busy()) std::this_thread::yield();
}

// Long, and no loop.
std::string endless(std::string_view) {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += std::to_string(i);
  return text;
}

TEST(Cancel, DestroyingATicketFreesEverythingItHad) {
  // Once anything is heard, the model waits until the ticket is gone: nothing is complete before.
  std::atomic<bool> heard{false}, gone{false};
  test::RigOptions options;
  options.before_forward = [&]() -> Result<void> {
    while (heard && !gone) std::this_thread::yield();
    return {};
  };
  Rig rig(endless, options);
  Request request = request_for({"a\nb\nc", "d"});
  request.params.max_tokens = 1500;
  const auto recorder = std::make_shared<Recorder>();
  recorder->when_delta([&] { heard = true; });
  auto ticket = rig.translator.translate(request, recorder);
  ASSERT_TRUE(ticket);
  while (!heard) std::this_thread::yield();
  ticket->reset();
  gone = true;
  const auto reply = recorder->wait();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->translations[0].finish_reason, FinishReason::cancelled);
  wait_until_idle(rig);
}

TEST(Cancel, ATicketMayBeDestroyedWithinACallOfTheSink) {
  Rig rig(endless);
  Request request = request_for({"a\nb\nc", "d"});
  request.params.max_tokens = 1500;
  const auto recorder = std::make_shared<Recorder>();
  std::unique_ptr<Ticket> ticket;
  std::promise<void> has_ticket;
  recorder->when_delta([&, given = has_ticket.get_future().share()] {
    given.wait();
    ticket.reset();
  });
  ticket = *rig.translator.translate(request, recorder);
  has_ticket.set_value();
  EXPECT_TRUE(recorder->wait());
  wait_until_idle(rig);
}

TEST(Cancel, ATicketOutlivesItsTranslation) {
  std::unique_ptr<Ticket> ticket;
  {
    Rig rig;
    const auto recorder = std::make_shared<Recorder>();
    ticket = *rig.translator.translate(request_for({"hello"}), recorder);
    EXPECT_TRUE(recorder->wait());
    wait_until_idle(rig);
  }
  ticket.reset();
}

TEST(Cancel, AFullQueueRefusesARequestAsAWhole) {
  std::atomic<bool> open{false};
  test::RigOptions options;
  options.engine.max_queue = 10;
  options.before_forward = [&]() -> Result<void> {
    while (!open) std::this_thread::yield();
    return {};
  };
  Rig rig(test::shout, options);
  const auto first = std::make_shared<Recorder>();
  const auto ticket = rig.translator.translate(request_for({"a\nb\nc\nd\ne\nf"}), first);
  ASSERT_TRUE(ticket);
  std::optional<Error> error;
  std::vector<std::pair<std::unique_ptr<Ticket>, std::shared_ptr<Recorder>>> others;
  while (!error) {
    auto recorder = std::make_shared<Recorder>();
    auto other = rig.translator.translate(request_for({"a\nb\nc\nd\ne\nf"}), recorder);
    if (!other) {
      error = other.error();
      EXPECT_FALSE(recorder->heard_anything());
    } else {
      others.emplace_back(*std::move(other), recorder);
    }
  }
  EXPECT_EQ(error->code, Code::queue_full);
  open = true;
  EXPECT_EQ(first->wait()->translations[0].text, "A\nB\nC\nD\nE\nF");
  for (auto& [other, recorder] : others) EXPECT_TRUE(recorder->wait());
  wait_until_idle(rig);
}

TEST(Cancel, ManyThreadsTranslateStreamStopAndGiveUpAtRandomMoments) {
  Rig rig([](std::string_view text) { return test::shout(text) + "北京 END more"; });
  constexpr int kThreads = 4;
  constexpr int kRounds = 40;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&, t] {
      std::mt19937 random(static_cast<unsigned>(t));
      for (int round = 0; round < kRounds; ++round) {
        Request request = request_for({"a\n\nb \nc", " ", "d e f"});
        if (random() % 2) request.stop = {"END"};
        const auto recorder = std::make_shared<Recorder>();
        auto ticket = rig.translator.translate(request, recorder);
        if (!ticket) {
          EXPECT_EQ(ticket.error().code, Code::queue_full);
          continue;
        }
        switch (random() % 3) {
          case 0:
            ticket->reset();
            break;
          case 1:
            for (unsigned i = random() % 1000; i > 0; --i) std::this_thread::yield();
            ticket->reset();
            break;
          default:
            break;
        }
        const auto reply = recorder->wait();
        ASSERT_TRUE(reply);
        EXPECT_EQ(reply->translations[1].text, " ");
        if (*ticket) {
          const bool stops = !request.stop.empty();
          EXPECT_EQ(reply->translations[2].text, stops ? "D E F北京" : "D E F北京 END more");
        }
      }
    });
  }
  for (auto& thread : threads) thread.join();
  wait_until_idle(rig);
}

TEST(Cancel, AnEngineThatEndsCancelsWhatIsLeft) {
  const auto recorder = std::make_shared<Recorder>();
  std::unique_ptr<Ticket> ticket;
  std::atomic<bool> ending{false};
  test::RigOptions options;
  options.before_forward = [&]() -> Result<void> {
    while (!ending) std::this_thread::yield();
    // Or it might be done before the end.
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return {};
  };
  {
    Rig rig(endless, options);
    Request request = request_for({"a\nb"});
    request.params.max_tokens = 1500;
    request.params.ignore_eos = true;  // as long as that
    ticket = *rig.translator.translate(request, recorder);
    ending = true;
  }
  const auto reply = recorder->wait();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->translations[0].finish_reason, FinishReason::cancelled);
}

}  // namespace
}  // namespace hymt::translate
