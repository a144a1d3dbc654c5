#include "engine/beam_search.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "support/reference_beam_search.h"

namespace hymt::engine {
namespace {

constexpr Token kStop = 0;

// Log-probabilities that depend on the whole history in no simple way; the stop token grows likely.
std::vector<double> logprobs_after(uint64_t seed, const std::vector<Token>& history, int n_vocab) {
  std::vector<double> weights(static_cast<size_t>(n_vocab));
  uint64_t hash = seed;
  for (const Token token : history)
    hash = (hash ^ static_cast<uint64_t>(token + 1)) * 1099511628211u;
  double total = 0;
  for (double& weight : weights) {
    hash = hash * 6364136223846793005u + 1442695040888963407u;
    weight = std::exp(static_cast<double>(hash >> 40) / (1 << 24) * 3);
    total += weight;
  }
  for (double& weight : weights) weight = std::log(weight / total);
  return weights;
}

// Runs BeamSearch over the toy model above.
std::vector<Candidate> search(uint64_t seed, int n_vocab, const Params& params, int max_tokens) {
  BeamSearch beams(params);
  std::vector<std::vector<Token>> live = {{}};
  const std::vector<Token> stops = {kStop};
  for (;;) {
    std::vector<std::vector<model::Candidate>> best(live.size());
    std::vector<BeamAnswer> answers;
    std::vector<std::span<const Token>> generated;
    for (size_t beam = 0; beam < live.size(); ++beam) {
      const auto logprobs = logprobs_after(seed, live[beam], n_vocab);
      for (int token = 0; token < n_vocab; ++token) {
        best[beam].push_back({token, static_cast<float>(logprobs[static_cast<size_t>(token)])});
      }
      std::stable_sort(best[beam].begin(), best[beam].end(),
                       [](const auto& a, const auto& b) { return a.logit > b.logit; });
      best[beam].resize(std::min(best[beam].size(),
                                 static_cast<size_t>(BeamSearch::candidates_needed(params, 1))));
      answers.push_back({best[beam], 0});
      generated.push_back(live[beam]);
    }
    const auto next = beams.advance(answers, generated, stops, max_tokens);
    if (next.empty()) return beams.finished();
    std::vector<std::vector<Token>> continued;
    for (const auto& one : next) {
      continued.push_back(live[static_cast<size_t>(one.parent)]);
      continued.back().push_back(one.token);
    }
    live = continued;
  }
}

TEST(BeamSearch, AgreesWithTheStraightforwardDefinition) {
  for (uint64_t seed = 1; seed <= 60; ++seed) {
    for (const int n_beams : {2, 3, 4, 8}) {
      for (const float length_penalty : {0.0f, 1.0f, 2.0f}) {
        for (const bool early : {false, true}) {
          Params params;
          params.beams = n_beams;
          params.length_penalty = length_penalty;
          params.early_stopping = early;
          const int n_vocab = 20, max_tokens = 9;
          const auto got = search(seed, n_vocab, params, max_tokens);
          const auto expected = test::reference_beam_search(
              [&](const auto& history) { return logprobs_after(seed, history, n_vocab); }, {kStop},
              n_beams, length_penalty, early, max_tokens);
          ASSERT_EQ(got.size(), expected.size());
          for (size_t i = 0; i < got.size(); ++i) {
            EXPECT_EQ(got[i].tokens, expected[i].tokens);
            EXPECT_NEAR(got[i].score, expected[i].score, 1e-4);
            EXPECT_EQ(got[i].reason == FinishReason::stop, expected[i].stopped);
          }
        }
      }
    }
  }
}

// By hand: p(stop) = 0.4, p(1) = 0.6; after 1, p(stop) = 0.9. Two beams, length penalty 0:
// "" has log 0.4, "1" has log 0.54.
TEST(BeamSearch, CountsTheStopTokenInTheScore) {
  Params params;
  params.beams = 2;
  params.length_penalty = 0;
  BeamSearch beams(params);
  const std::vector<Token> stops = {kStop}, nothing;
  const auto l = [](double p) { return static_cast<float>(std::log(p)); };
  const std::vector<model::Candidate> first = {{1, l(0.6)}, {kStop, l(0.4)}};
  const BeamAnswer answer{first, 0};
  const std::span<const Token> none(nothing);
  const auto next = beams.advance({&answer, 1}, {&none, 1}, stops, 10);
  ASSERT_EQ(next.size(), 1u);
  EXPECT_EQ(next[0].token, 1);
  const std::vector<model::Candidate> second = {{kStop, l(0.9)}, {1, l(0.1)}};
  const std::vector<Token> one = {1};
  const std::span<const Token> after_one(one);
  const BeamAnswer then{second, 0};
  EXPECT_TRUE(beams.advance({&then, 1}, {&after_one, 1}, stops, 10).empty());
  const auto finished = beams.finished();
  ASSERT_EQ(finished.size(), 2u);
  EXPECT_EQ(finished[0].tokens, one);
  EXPECT_NEAR(finished[0].score, std::log(0.54), 1e-6);
  EXPECT_EQ(finished[1].tokens, nothing);
  EXPECT_NEAR(finished[1].score, std::log(0.4), 1e-6);
}

}  // namespace
}  // namespace hymt::engine
