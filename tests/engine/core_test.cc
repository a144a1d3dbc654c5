#include "engine/core.h"

#include <gtest/gtest.h>

#include <random>

#include "support/fake_runner.h"
#include "support/recorder.h"

namespace hymt::engine {
namespace {

using test::FakeClock;
using test::Recorder;

constexpr int kVocab = 50;
constexpr Token kStop = 0;

// What a greedy request must answer, computed without an engine.
std::vector<Token> expected_answer(std::vector<Token> history, int max_tokens) {
  std::vector<Token> answer;
  while (static_cast<int>(answer.size()) < max_tokens) {
    const Token token = test::hash_of(history, kVocab);
    if (token == kStop) break;
    answer.push_back(token);
    history.push_back(token);
  }
  return answer;
}

struct Bench {
  explicit Bench(int n_blocks, CoreOptions options = {})
      : runner(kVocab, test::small_limits(n_blocks),
               test::deterministic([](auto history) { return test::hash_of(history, kVocab); })),
        metrics(registry),
        core(runner, options, clock, metrics) {}

  std::shared_ptr<Recorder> submit(std::vector<Token> prompt, int max_tokens,
                                   std::optional<Time> deadline = {},
                                   Priority priority = Priority::interactive) {
    Request request;
    request.prompt = std::move(prompt);
    request.stop_ids = {kStop};
    request.params.max_tokens = max_tokens;
    request.deadline = deadline;
    request.priority = priority;
    auto recorder = std::make_shared<Recorder>();
    core.submit(next_id++, std::move(request), recorder, clock.now());
    return recorder;
  }
  void run() {
    while (core.step()) {
    }
  }

  FakeClock clock;
  metrics::Registry registry;
  test::FakeRunner runner;
  Metrics metrics;
  Core core;
  RequestId next_id = 1;
};

std::vector<Token> random_prompt(std::mt19937& random, int longest) {
  std::vector<Token> prompt(1 + random() % static_cast<unsigned>(longest));
  for (Token& token : prompt) token = static_cast<Token>(1 + random() % (kVocab - 1));
  return prompt;
}

TEST(Core, AnswersARequest) {
  Bench bench(16);
  const auto answer = bench.submit({1, 2, 3}, 10);
  bench.run();
  EXPECT_EQ(answer->tokens, expected_answer({1, 2, 3}, 10));
  ASSERT_TRUE(answer->finish);
  EXPECT_EQ(answer->finish->candidates.at(0).tokens, answer->tokens);
  EXPECT_EQ(answer->finish->prompt_tokens, 3);
  EXPECT_EQ(bench.core.blocks().available(), 16);
}

TEST(Core, SaysWhetherTheAnswerEndedOrWasCut) {
  Bench bench(16);
  std::mt19937 random(1);
  bool seen_stop = false, seen_length = false;
  for (int i = 0; i < 50; ++i) {
    const auto prompt = random_prompt(random, 20);
    const auto answer = bench.submit(prompt, 30);
    bench.run();
    const bool cut = expected_answer(prompt, 30).size() == 30;
    EXPECT_EQ(answer->finish->candidates[0].reason,
              cut ? FinishReason::length : FinishReason::stop);
    (cut ? seen_length : seen_stop) = true;
  }
  EXPECT_TRUE(seen_stop && seen_length);
}

// The pool holds a fraction of what runs, prompts are longer than a step: chunks, batches,
// pre-emption and recomputing must not change a single token.
TEST(Core, AnswersAreTheSameUnderPressure) {
  for (const int n_blocks : {6, 12, 40}) {
    Bench bench(n_blocks, {.max_sequences = 8, .step_rows = 24});
    std::mt19937 random(static_cast<unsigned>(n_blocks));
    std::vector<std::pair<std::vector<Token>, std::shared_ptr<Recorder>>> all;
    for (int i = 0; i < 60; ++i) {
      auto prompt = random_prompt(random, 50);
      all.emplace_back(prompt, bench.submit(prompt, 40));
      for (unsigned steps = random() % 4; steps > 0; --steps) bench.core.step();
    }
    bench.run();
    for (const auto& [prompt, answer] : all) {
      EXPECT_EQ(answer->tokens, expected_answer(prompt, 40));
      EXPECT_EQ(answer->n_ends, 1);
    }
    EXPECT_EQ(bench.core.blocks().available(), n_blocks);
    if (n_blocks == 6) {
      EXPECT_GT(bench.metrics.preemptions.value(), 0u);
    }
  }
}

TEST(Core, ACancelFreesTheBlocksAtOnce) {
  Bench bench(16);
  const auto answer = bench.submit(std::vector<Token>(40, 7), 100);
  bench.core.step();
  bench.core.step();
  EXPECT_LT(bench.core.blocks().available(), 16);
  std::vector<Cancel> cancels = {{1, bench.clock.now()}};
  bench.core.cancel(cancels);
  EXPECT_EQ(bench.core.blocks().available(), 16);
  EXPECT_EQ(answer->finish->candidates[0].reason, FinishReason::cancelled);
  bench.core.cancel(cancels);  // once more: ignored
  EXPECT_EQ(answer->n_ends, 1);
  EXPECT_FALSE(bench.core.step());
}

TEST(Core, ADeadlineInTheQueueCostsNoWork) {
  Bench bench(16);
  const auto answer = bench.submit({1, 2}, 10, bench.clock.now() + std::chrono::seconds(1));
  bench.clock.time += std::chrono::seconds(1);
  EXPECT_FALSE(bench.core.step());
  EXPECT_EQ(bench.runner.n_forwards, 0);
  ASSERT_TRUE(answer->error);
  EXPECT_EQ(answer->error->code, Code::deadline);
}

TEST(Core, ADeadlineMidAnswerKeepsWhatThereIs) {
  Bench bench(16);
  const auto answer = bench.submit({1, 2}, 40, bench.clock.now() + std::chrono::seconds(1));
  bench.core.step();
  bench.clock.time += std::chrono::seconds(2);
  bench.core.step();
  ASSERT_TRUE(answer->finish);
  EXPECT_EQ(answer->finish->candidates[0].reason, FinishReason::deadline);
  EXPECT_EQ(answer->tokens.size(), 1u);
}

TEST(Core, AListenerMayLetItsRequestGoOnPastADeadline) {
  Bench bench(16);
  const auto in = [&](int seconds) { return bench.clock.now() + std::chrono::seconds(seconds); };
  const auto running = bench.submit({1}, 20, in(5));
  bench.core.step();
  const auto waiting = bench.submit({2}, 20, in(5));
  const auto shorter = bench.submit({3}, 20, in(5));
  int asked = 0;
  for (const auto& one : {running, waiting}) {
    one->when_deadline = [&, due = in(5)](Time deadline) -> std::optional<Time> {
      ++asked;
      EXPECT_EQ(deadline, due);
      return std::nullopt;
    };
  }
  shorter->when_deadline = [&](Time deadline) { return deadline + std::chrono::seconds(2); };
  bench.clock.time += std::chrono::seconds(6);
  bench.core.step();
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(shorter->n_ends, 0);
  bench.clock.time += std::chrono::hours(1);
  shorter->when_deadline = nullptr;
  bench.run();
  EXPECT_EQ(asked, 2);
  EXPECT_EQ(running->tokens, expected_answer({1}, 20));
  EXPECT_EQ(waiting->tokens, expected_answer({2}, 20));
  ASSERT_TRUE(shorter->finish);
  EXPECT_EQ(shorter->finish->candidates[0].reason, FinishReason::deadline);
}

TEST(Core, OneMoreCallerCanOnlyBringADeadlineForward) {
  Bench bench(16);
  const auto in = [&](int seconds) { return bench.clock.now() + std::chrono::seconds(seconds); };
  const auto running = bench.submit({1}, 20, in(5));
  bench.core.step();
  const auto waiting = bench.submit({2}, 20), other = bench.submit({3}, 20, in(5));
  for (const RequestId id : {RequestId{1}, RequestId{2}, RequestId{77}}) {
    bench.core.join(id, {"patient", Priority::interactive, in(9)});
    bench.core.join(id, {"hasty", Priority::interactive, in(1)});
    bench.core.join(id, {"at leisure", Priority::interactive, {}});
  }
  bench.clock.time += std::chrono::seconds(1);
  bench.core.step();
  EXPECT_EQ(running->n_ends, 1);
  EXPECT_EQ(waiting->error->code, Code::deadline);
  bench.run();
  EXPECT_EQ(other->tokens, expected_answer({3}, 20));
}

TEST(Core, ARequestMayBeExpiredBeforeItsTime) {
  Bench bench(16);
  const auto running = bench.submit({1}, 20);
  bench.core.step();
  const auto waiting = bench.submit({2}, 20), other = bench.submit({3}, 20);
  for (const RequestId id : {1, 2, 77}) bench.core.expire(id);
  bench.core.step();
  ASSERT_TRUE(running->finish);
  EXPECT_EQ(running->finish->candidates[0].reason, FinishReason::deadline);
  EXPECT_EQ(waiting->error->code, Code::deadline);
  bench.run();
  EXPECT_EQ(other->tokens, expected_answer({3}, 20));
}

TEST(Core, ASearchCutByItsDeadlineDoesNotPassForAWholeOne) {
  // The stop token is always second best: a short answer ends at once, the search goes on.
  test::FakeRunner runner(kVocab, test::small_limits(64),
                          [](std::span<const Token> history, std::vector<float>& logits) {
                            for (size_t i = 0; i < logits.size(); ++i) {
                              logits[i] = static_cast<float>((i * 7 + history.size()) % 13) / 10;
                            }
                            logits[kStop] = 3;
                            logits[5] = 4;
                          });
  Bench bench(64);
  bench.runner = std::move(runner);
  Request request;
  request.prompt = {1, 2};
  request.stop_ids = {kStop};
  request.params.beams = 3;
  request.params.max_tokens = 100;
  request.deadline = bench.clock.now() + std::chrono::seconds(1);
  const auto answer = std::make_shared<Recorder>();
  bench.core.submit(1, request, answer, bench.clock.now());
  bench.core.step();
  bench.core.step();
  ASSERT_FALSE(answer->finish);
  bench.clock.time += std::chrono::seconds(2);
  bench.core.step();
  ASSERT_TRUE(answer->finish);
  for (const Candidate& candidate : answer->finish->candidates) {
    EXPECT_EQ(candidate.reason, FinishReason::deadline);
  }
}

TEST(Core, InteractiveRequestsGoBeforeBulkOnes) {
  Bench bench(64, {.max_sequences = 1, .step_rows = 64});
  const auto first = bench.submit({1}, 40, {}, Priority::bulk);
  bench.core.step();
  const auto bulk = bench.submit({2}, 40, {}, Priority::bulk);
  const auto interactive = bench.submit({3}, 40);
  while (!bulk->finish && bench.core.step())
    EXPECT_TRUE(bulk->tokens.empty() || interactive->finish);
}

TEST(Core, AFailedStepFailsItsRequestsAndNothingElse) {
  Bench bench(16);
  const auto failed = bench.submit({1, 2}, 10);
  bench.runner.before_forward = [] { return Result<void>(fail(Code::internal, "device lost")); };
  bench.core.step();
  ASSERT_TRUE(failed->error);
  EXPECT_EQ(failed->error->message, "device lost");
  bench.runner.before_forward = nullptr;
  const auto next = bench.submit({1, 2}, 10);
  bench.run();
  EXPECT_EQ(next->tokens, expected_answer({1, 2}, 10));
  EXPECT_EQ(bench.core.blocks().available(), 16);
}

TEST(Core, AnAnswerIsCutWhereThePoolEnds) {
  Bench bench(2);  // 32 tokens
  const auto answer = bench.submit(std::vector<Token>(20, 3), 100);
  bench.run();
  const auto expected = expected_answer(std::vector<Token>(20, 3), 12);
  EXPECT_EQ(answer->tokens, expected);
}

TEST(Core, ACommonHeadIsComputedOnce) {
  Bench bench(64);
  std::vector<Token> head(22, 9);
  for (int i = 0; i < 10; ++i) {
    auto prompt = head;
    prompt.push_back(static_cast<Token>(10 + i));
    prompt.push_back(5);
    const auto answer = bench.submit(prompt, 1);
    bench.run();
    EXPECT_EQ(answer->tokens, expected_answer(prompt, 1));
    EXPECT_EQ(answer->finish->cached_tokens, i == 0 ? 0 : 22);
  }
  EXPECT_EQ(bench.metrics.prompt_tokens.value(), 24u + 9 * 2);
  EXPECT_EQ(bench.metrics.cached_tokens.value(), 9u * 22);
}

TEST(Core, AnEndlessRepetitionIsCutAndReported) {
  Bench bench(64);
  bench.runner = test::FakeRunner(kVocab, test::small_limits(64),
                                  test::deterministic([](auto) { return Token{7}; }));
  const auto answer = bench.submit({1, 2, 3}, 500);
  bench.run();
  EXPECT_EQ(answer->finish->candidates[0].reason, FinishReason::loop);
  EXPECT_LT(answer->tokens.size(), 60u);
}

TEST(Core, TheSameSeedGivesTheSameAnswerInAnyCompany) {
  Request request;
  request.prompt = {4, 5, 6};
  request.stop_ids = {kStop};
  request.params.temperature = 1;
  request.params.top_k = 0;
  request.params.top_p = 1;
  request.params.max_tokens = 20;
  request.params.ignore_eos = true;
  request.params.seed = 99;
  std::vector<std::vector<Token>> answers;
  for (const bool crowded : {false, true}) {
    Bench bench(8, {.max_sequences = 8, .step_rows = 16});
    if (crowded) {
      for (int i = 0; i < 6; ++i) bench.submit(std::vector<Token>(30, i + 1), 30);
    }
    auto recorder = std::make_shared<Recorder>();
    bench.core.submit(1000, request, recorder, bench.clock.now());
    bench.run();
    answers.push_back(recorder->tokens);
  }
  EXPECT_EQ(answers[0].size(), 20u);
  EXPECT_EQ(answers[0], answers[1]);
}

}  // namespace
}  // namespace hymt::engine
