#include "engine/sampler.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

namespace hymt::engine {
namespace {

model::Limits limits() {
  model::Limits out;
  out.max_top_k = 64;
  return out;
}

Params sampled(float temperature, int top_k, float top_p) {
  Params params;
  params.temperature = temperature;
  params.top_k = top_k;
  params.top_p = top_p;
  return params;
}

model::Answer with_logits(const std::vector<float>& logits) {
  model::Answer answer;
  answer.logits = logits;
  double sum = 0;
  for (const float logit : logits) sum += std::exp(logit);
  answer.log_sum_exp = static_cast<float>(std::log(sum));
  return answer;
}

std::map<Token, int> count_choices(Params params, const std::vector<float>& logits, int n) {
  std::map<Token, int> counts;
  std::vector<model::Candidate> scratch;
  for (int i = 0; i < n; ++i) ++counts[choose(params, with_logits(logits), i, scratch).token];
  return counts;
}

TEST(Sampler, GreedyTakesTheBestAndTiesGoToTheLowerId) {
  std::vector<model::Candidate> scratch;
  EXPECT_EQ(choose({}, with_logits({1, 3, 3, 2}), 0, scratch).token, 1);
}

// Probabilities 0.5, 0.3, 0.15, 0.05: transformers' TopPLogitsWarper keeps the smallest set that
// reaches top_p, here {0, 1} for 0.6 and {0} for 0.5.
TEST(Sampler, TopPKeepsTheSmallestSetThatReachesIt) {
  const std::vector<float> logits = {std::log(0.5f), std::log(0.3f), std::log(0.15f),
                                     std::log(0.05f)};
  EXPECT_EQ(count_choices(sampled(1, 0, 0.6f), logits, 2000).size(), 2u);
  EXPECT_EQ(count_choices(sampled(1, 0, 0.45f), logits, 2000).size(), 1u);
  EXPECT_EQ(count_choices(sampled(1, 0, 1), logits, 2000).size(), 4u);
  EXPECT_EQ(count_choices(sampled(1, 3, 1), logits, 2000).size(), 3u);
}

TEST(Sampler, TopPReachesAsFarAsItMustInAFlatVocabulary) {
  const std::vector<float> logits(1000, 0.0f);  // ties go to the lower id: 0 to 499 are kept
  const auto counts = count_choices(sampled(1, 0, 0.5f), logits, 8000);
  EXPECT_EQ(counts.size(), 500u);
  EXPECT_LT(counts.rbegin()->first, 500);
}

TEST(Sampler, DrawsInProportionToTheProbabilities) {
  const int n = 20000;
  const std::vector<float> logits = {std::log(0.5f), std::log(0.3f), std::log(0.2f)};
  // Temperature 0.5 squares probabilities: 25 : 9 : 4.
  const auto counts = count_choices(sampled(0.5f, 0, 1), logits, n);
  const double expected[] = {25 / 38.0, 9 / 38.0, 4 / 38.0};
  for (Token token = 0; token < 3; ++token) {
    const double p = expected[token];
    EXPECT_NEAR(counts.at(token) / static_cast<double>(n), p, 5 * std::sqrt(p * (1 - p) / n));
  }
}

TEST(Sampler, ADrawDependsOnSeedAndPositionAlone) {
  EXPECT_EQ(draw(7, 3), draw(7, 3));
  EXPECT_NE(draw(7, 3), draw(7, 4));
  EXPECT_NE(draw(7, 3), draw(8, 3));
  // SplitMix64's published first output for seed 0 is 0xE220A8397B1DCDAF.
  EXPECT_EQ(draw(0, 0), static_cast<double>(0xE220A8397B1DCDAFu >> 11) * 0x1p-53);
}

TEST(Sampler, AsksForNoMoreThanItNeeds) {
  using Kind = model::Ask::Kind;
  EXPECT_EQ(make_ask({}, limits(), {}, {}, 0).kind, Kind::arg_max);
  EXPECT_EQ(make_ask(sampled(1, 20, 0.6f), limits(), {}, {}, 0).kind, Kind::top_k);
  EXPECT_EQ(make_ask(sampled(1, 20, 0.6f), limits(), {}, {}, 0).k, 20);
  EXPECT_EQ(make_ask(sampled(1, 0, 0.6f), limits(), {}, {}, 0).kind, Kind::logits);
  EXPECT_EQ(make_ask(sampled(1, 100, 0.6f), limits(), {}, {}, 0).kind, Kind::logits);
}

TEST(Sampler, StopIdsAreBannedUntilMinTokens) {
  const std::vector<Token> stops = {5};
  Params params;
  params.min_tokens = 2;
  EXPECT_EQ(make_ask(params, limits(), {}, stops, 1).banned.size(), 1u);
  EXPECT_EQ(make_ask(params, limits(), {}, stops, 2).banned.size(), 0u);
  params.ignore_eos = true;
  EXPECT_EQ(make_ask(params, limits(), {}, stops, 99).banned.size(), 1u);
}

TEST(Sampler, RefusesParametersOutOfRangeByName) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const auto field = [](auto change) {
    Params params;
    change(params);
    const auto valid = validate(params, 100);
    return valid ? std::string() : valid.error().field;
  };
  EXPECT_EQ(field([](Params&) {}), "");
  EXPECT_EQ(field([&](Params& p) { p.temperature = nan; }), "temperature");
  EXPECT_EQ(field([](Params& p) { p.temperature = -1; }), "temperature");
  EXPECT_EQ(field([](Params& p) { p.max_tokens = 0; }), "max_tokens");
  EXPECT_EQ(field([](Params& p) { p.min_tokens = 513; }), "min_tokens");
  EXPECT_EQ(field([](Params& p) { p.top_k = -1; }), "top_k");
  EXPECT_EQ(field([](Params& p) { p.top_p = 0; }), "top_p");
  EXPECT_EQ(field([&](Params& p) { p.top_p = nan; }), "top_p");
  EXPECT_EQ(field([](Params& p) { p.repetition_penalty = 0; }), "repetition_penalty");
  EXPECT_EQ(field([](Params& p) { p.beams = kMaxBeams + 1; }), "beams");
  EXPECT_EQ(field([](Params& p) { p.logprobs = 101; }), "logprobs");
}

}  // namespace
}  // namespace hymt::engine
