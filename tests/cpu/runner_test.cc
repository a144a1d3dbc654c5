// The runner's border: what it refuses, what it answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "cpu/kernels/dispatch.h"
#include "cpu/runner_fixture.h"

// Sanitizers abort on an absurd allocation unless told to behave like the system.
extern "C" const char* __asan_default_options() {
  return "allocator_may_return_null=1";
}
extern "C" const char* __tsan_default_options() {
  return "allocator_may_return_null=1";
}

namespace hymt::cpu::test {
namespace {

using testing::HasSubstr;

model::Model tiny_model() {
  hymt::test::RandomModel recipe;
  recipe.config = hymt::test::tiny_config();
  return hymt::test::make_random_model(recipe);
}

TEST(Kernels, AreFoundByNameAndTheBestComesFirst) {
  const auto names = kernel_names();
  ASSERT_FALSE(names.empty());
  EXPECT_EQ(names.back(), "scalar");
  EXPECT_EQ(find_kernels("auto").value().name, names.front());
  for (const auto& name : names) EXPECT_EQ(find_kernels(name).value().name, name);
}

TEST(Kernels, ThatDoNotExistAreRefusedWithAListOfThoseThatDo) {
  const auto found = find_kernels("mmx");
  ASSERT_FALSE(found);
  EXPECT_EQ(found.error().code, Code::unsupported);
  EXPECT_THAT(found.error().message, HasSubstr("'mmx'"));
  EXPECT_THAT(found.error().message, HasSubstr("scalar"));
}

TEST(Kernels, LeaveNoSlotEmpty) {
  for (const auto& name : kernel_names()) {
    const Kernels k = find_kernels(name).value();
    for (const auto multiply : k.multiply) EXPECT_NE(multiply, nullptr);
    EXPECT_TRUE(k.quantize && k.to_bf16 && k.to_f16 && k.rms_norm && k.rotate_and_norm &&
                k.attend && k.arg_max && k.sum_exp);
  }
}

TEST(Runner, SaysHowMuchMemoryItWouldNeed) {
  const model::Model model = tiny_model();
  ThreadPool pool(1);
  Options options;
  options.n_blocks = std::numeric_limits<int>::max();  // tens of terabytes
  const auto runner = make_runner(model, options, pool);
  ASSERT_FALSE(runner);
  EXPECT_EQ(runner.error().code, Code::unavailable);
  EXPECT_THAT(runner.error().message, HasSubstr("GiB"));
  EXPECT_THAT(runner.error().message, HasSubstr("KV blocks"));
}

TEST(Runner, TellsTheBytesOfABlock) {
  // 3 layers, 2 heads of 32, 16 tokens, K and V, two bytes each.
  const auto bytes = [](std::string_view type) {
    return kv_block_bytes(hymt::test::tiny_config(), type).value();
  };
  EXPECT_EQ(bytes("f16"), 3u * 2 * 32 * 16 * 2 * 2);
  EXPECT_EQ(bytes("q8_0"), 3u * 2 * (32 * 16 + 16 * 4) * 2);
  EXPECT_FALSE(kv_block_bytes(hymt::test::tiny_config(), "q4_0"));
}

TEST(Runner, RefusesABatchThatBreaksItsLimits) {
  const model::Model model = tiny_model();
  Machine machine(model, "auto", 1, 4);
  const std::vector<int32_t> blocks = {0, 1};
  const std::vector<int32_t> bad_blocks = {0, 4};
  const auto run = [&](const std::vector<Token>& tokens, const std::vector<Ask>& asks,
                       const std::vector<model::Slice>& slices) {
    return machine.runner->forward({tokens, asks, slices}).has_value();
  };
  const std::vector<Token> tokens(20, 1);
  const std::vector<Ask> asks(20);
  EXPECT_TRUE(run(tokens, asks, {{20, 0, blocks}}));
  EXPECT_FALSE(run({}, {}, {}));
  EXPECT_FALSE(run(tokens, {}, {{20, 0, blocks}}));
  EXPECT_FALSE(run(tokens, asks, {{19, 0, blocks}}));
  EXPECT_FALSE(run(tokens, asks, {{20, 0, bad_blocks}}));
  EXPECT_FALSE(run(tokens, asks, {{20, 13, blocks}}));   // 33 positions, 2 blocks
  EXPECT_FALSE(run(tokens, asks, {{20, 500, blocks}}));  // beyond the context
  EXPECT_FALSE(run(tokens, asks, {{20, -1, blocks}}));
  EXPECT_FALSE(run(std::vector<Token>(20, 1003), asks, {{20, 0, blocks}}));
  EXPECT_FALSE(run(std::vector<Token>(20, -1), asks, {{20, 0, blocks}}));
  EXPECT_FALSE(run(std::vector<Token>(300, 1), std::vector<Ask>(300), {{300, 0, blocks}}));
  EXPECT_FALSE(run({1}, {ask_for(Ask::Kind::top_k, 0)}, {{1, 0, blocks}}));
  EXPECT_FALSE(run({1}, {ask_for(Ask::Kind::top_k, 100000)}, {{1, 0, blocks}}));
  EXPECT_TRUE(run(tokens, asks, {{20, 0, blocks}})) << "still alive";
}

TEST(Runner, AnswersWithTokensEvenIfTheWeightsAreNoNumbers) {
  for (const auto type : {checkpoint::DType::bf16, checkpoint::DType::q8_0}) {
    hymt::test::RandomModel recipe;
    recipe.config = hymt::test::tiny_config();
    recipe.type = type;
    const model::Model model = hymt::test::make_random_model(recipe);
    // Bytes of all ones: NaN as bf16, and as the f16 scale of a block.
    for (const auto* tensor : {model.weights.layers[0].v, model.weights.layers[1].up}) {
      auto* bytes = const_cast<std::byte*>(tensor->data.data());
      std::fill_n(bytes, 2000, std::byte{0xff});
    }
    for (const auto& kernels : kernel_names()) {
      Machine machine(model, kernels, 2);
      const std::vector<int32_t> blocks = block_range(0, 2);
      std::vector<Ask> asks(20, ask_for(Ask::Kind::top_k, 5));
      asks[3] = ask_for(Ask::Kind::arg_max);
      for (const auto& got : machine.run(random_tokens(20, 1003, 2), asks, {{20, 0, blocks}})) {
        for (const auto& candidate : got.best) {
          EXPECT_GE(candidate.token, 0);
          EXPECT_LT(candidate.token, 1003);
        }
      }
    }
  }
}

// Answers, against the row's own logits.
class AnswersTest : public testing::TestWithParam<std::string> {
 protected:
  AnswersTest() : model_(tiny_model()), machine_(model_, GetParam(), 3) {
    logits_ = machine_.all_logits(tokens_, blocks_).back();
  }

  // What the last of the tokens is answered.
  model::Answer answer(const Ask& ask) {
    std::vector<Ask> asks(tokens_.size());
    asks.back() = ask;
    return machine_.run(tokens_, asks, {{static_cast<int>(tokens_.size()), 0, blocks_}}).back();
  }

  // Token ids, best first, ties to the lower id.
  static std::vector<Token> ranked(const std::vector<float>& logits) {
    std::vector<Token> order(logits.size());
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Token a, Token b) {
      return logits[static_cast<size_t>(a)] > logits[static_cast<size_t>(b)];
    });
    return order;
  }

  const std::vector<Token> tokens_ = random_tokens(30, 1003, 4);
  const std::vector<int32_t> blocks_ = block_range(0, 2);
  model::Model model_;
  Machine machine_;
  std::vector<float> logits_;
};
INSTANTIATE_TEST_SUITE_P(Tables, AnswersTest, testing::ValuesIn(kernel_names()),
                         [](const auto& c) { return c.param; });

TEST_P(AnswersTest, OnlyRowsThatAskAreAnswered) {
  std::vector<Ask> asks(tokens_.size());
  asks[7] = ask_for(Ask::Kind::arg_max);
  const auto answers =
      machine_.run(tokens_, asks, {{static_cast<int>(tokens_.size()), 0, blocks_}});
  ASSERT_EQ(answers.size(), tokens_.size());
  for (size_t i = 0; i < answers.size(); ++i) EXPECT_EQ(answers[i].best.size(), i == 7 ? 1u : 0u);
}

TEST_P(AnswersTest, ArgMaxIsTheBestToken) {
  const auto best = answer(ask_for(Ask::Kind::arg_max)).best;
  ASSERT_EQ(best.size(), 1u);
  EXPECT_EQ(best[0].token, ranked(logits_)[0]);
  EXPECT_EQ(best[0].logit, logits_[static_cast<size_t>(best[0].token)]);
}

TEST_P(AnswersTest, TopKIsSortedAndKnowsTheSumOverAllTokens) {
  double sum = 0;
  for (const float logit : logits_) sum += std::exp(double{logit});
  for (const int k : {1, 2, 20, 128}) {
    const auto got = answer(ask_for(Ask::Kind::top_k, k));
    ASSERT_EQ(got.best.size(), static_cast<size_t>(k));
    const auto order = ranked(logits_);
    for (size_t i = 0; i < got.best.size(); ++i) {
      EXPECT_EQ(got.best[i].token, order[i]);
      EXPECT_EQ(got.best[i].logit, logits_[static_cast<size_t>(order[i])]);
    }
    EXPECT_NEAR(got.log_sum_exp, std::log(sum), 1e-5);
  }
}

TEST_P(AnswersTest, PenaltyAndBansComeBeforeEverythingElse) {
  const auto order = ranked(logits_);
  const std::vector<Token> seen = {order[0], order[1002], 5, 600};
  const std::vector<Token> banned = {order[2], 1002, 0};
  std::vector<float> adjusted = logits_;
  for (const Token token : seen) {
    float& logit = adjusted[static_cast<size_t>(token)];
    logit = logit > 0 ? logit / 1.5f : logit * 1.5f;
  }
  for (const Token token : banned) adjusted[static_cast<size_t>(token)] = -INFINITY;
  double sum = 0;
  for (const float logit : adjusted) sum += std::exp(double{logit});
  for (const auto kind : {Ask::Kind::arg_max, Ask::Kind::top_k, Ask::Kind::logits}) {
    Ask ask = ask_for(kind, 30);
    ask.repetition_penalty = 1.5f;
    ask.seen = seen;
    ask.banned = banned;
    const auto got = answer(ask);
    const auto expected = ranked(adjusted);
    for (size_t i = 0; i < got.best.size(); ++i) {
      EXPECT_EQ(got.best[i].token, expected[i]);
      EXPECT_EQ(got.best[i].logit, adjusted[static_cast<size_t>(expected[i])]);
    }
    if (kind == Ask::Kind::logits) {
      EXPECT_EQ(std::vector<float>(got.logits.begin(), got.logits.end()), adjusted);
    }
    if (kind != Ask::Kind::arg_max) {
      EXPECT_NEAR(got.log_sum_exp, std::log(sum), 1e-5);
    }
  }
}

TEST_P(AnswersTest, TiesGoToTheLowerToken) {
  // A vocabulary whose rows repeat has equal logits: every token has a twin 1000 further on.
  hymt::test::RandomModel recipe;
  recipe.config = hymt::test::tiny_config();
  recipe.config.n_vocab = 2000;
  recipe.type = checkpoint::DType::bf16;
  model::Model twins = hymt::test::make_random_model(recipe);
  const auto* embedding = twins.weights.embedding;
  auto* bytes = const_cast<std::byte*>(embedding->data.data());
  std::copy_n(bytes, embedding->data.size() / 2, bytes + embedding->data.size() / 2);
  Machine machine(twins, GetParam(), 3);
  std::vector<Ask> asks(30);
  for (size_t i = 0; i < asks.size(); ++i) {
    asks[i] = i % 2 ? ask_for(Ask::Kind::arg_max) : ask_for(Ask::Kind::top_k, 6);
  }
  for (const auto& got : machine.run(tokens_, asks, {{30, 0, blocks_}})) {
    EXPECT_LT(got.best[0].token, 1000);
    for (size_t i = 0; i + 1 < got.best.size(); i += 2) {
      EXPECT_EQ(got.best[i].token + 1000, got.best[i + 1].token);
      EXPECT_EQ(got.best[i].logit, got.best[i + 1].logit);
    }
  }
}

TEST_P(AnswersTest, EverythingBannedStillGivesTokens) {
  std::vector<Token> all(1003);
  std::iota(all.begin(), all.end(), 0);
  Ask ask = ask_for(Ask::Kind::top_k, 3);
  ask.banned = all;
  const auto got = answer(ask);
  ASSERT_EQ(got.best.size(), 3u);
  EXPECT_EQ(got.best[0].token, 0);
  EXPECT_EQ(got.log_sum_exp, -INFINITY);
}

TEST_P(AnswersTest, ASmallVocabularyHasFewerThanKTokens) {
  hymt::test::RandomModel recipe;
  recipe.config = hymt::test::tiny_config();
  recipe.config.n_vocab = 11;
  const model::Model small = hymt::test::make_random_model(recipe);
  Machine machine(small, GetParam(), 3);
  const auto answers = machine.run({3}, {ask_for(Ask::Kind::top_k, 100)}, {{1, 0, blocks_}});
  EXPECT_EQ(answers[0].best.size(), 11u);
}

}  // namespace
}  // namespace hymt::cpu::test
