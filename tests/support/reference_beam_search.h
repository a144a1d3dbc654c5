// Beam search as its definition reads, over whole histories: slow, and written apart from the
// engine's so that each checks the other.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>
#include <vector>

#include "tokenizer/vocabulary.h"

namespace hymt::test {

struct ReferenceAnswer {
  std::vector<tokenizer::Token> tokens;
  double score;
  bool stopped;
};

// `logprobs_after(history)` gives [n_vocab] log-probabilities of the next token.
inline std::vector<ReferenceAnswer> reference_beam_search(
    const std::function<std::vector<double>(const std::vector<tokenizer::Token>&)>& logprobs_after,
    const std::set<tokenizer::Token>& stops, int n_beams, double length_penalty,
    bool early_stopping, int max_tokens) {
  struct Live {
    std::vector<tokenizer::Token> tokens;
    double sum;
  };
  struct Step {
    double sum;
    tokenizer::Token token;
    int beam;
  };
  const auto normalised = [&](double sum, size_t n) {
    return sum / std::pow(static_cast<double>(n), length_penalty);
  };
  std::vector<Live> live = {{{}, 0.0}};
  std::vector<ReferenceAnswer> finished;
  const auto keep_best = [&] {
    std::stable_sort(finished.begin(), finished.end(),
                     [](const auto& a, const auto& b) { return a.score > b.score; });
    if (finished.size() > static_cast<size_t>(n_beams)) {
      finished.resize(static_cast<size_t>(n_beams));
    }
  };
  for (int length = 1;; ++length) {
    std::vector<Step> steps;
    for (size_t beam = 0; beam < live.size(); ++beam) {
      const auto logprobs = logprobs_after(live[beam].tokens);
      for (size_t token = 0; token < logprobs.size(); ++token) {
        steps.push_back({live[beam].sum + logprobs[token], static_cast<tokenizer::Token>(token),
                         static_cast<int>(beam)});
      }
    }
    std::sort(steps.begin(), steps.end(), [](const Step& a, const Step& b) {
      if (a.sum != b.sum) return a.sum > b.sum;
      if (a.token != b.token) return a.token < b.token;
      return a.beam < b.beam;
    });
    std::vector<Live> next;
    for (size_t rank = 0; rank < steps.size(); ++rank) {
      if (next.size() == static_cast<size_t>(n_beams)) break;
      const Step& step = steps[rank];
      const Live& from = live[static_cast<size_t>(step.beam)];
      if (stops.count(step.token)) {
        if (rank >= static_cast<size_t>(n_beams)) continue;
        finished.push_back({from.tokens, normalised(step.sum, static_cast<size_t>(length)), true});
        keep_best();
      } else {
        next.push_back({from.tokens, step.sum});
        next.back().tokens.push_back(step.token);
      }
    }
    live = next;
    if (live.empty()) return finished;
    if (finished.size() == static_cast<size_t>(n_beams)) {
      const double reachable = normalised(live.front().sum, static_cast<size_t>(length));
      if (early_stopping || reachable <= finished.back().score) return finished;
    }
    if (length >= max_tokens) {
      for (const Live& beam : live) {
        finished.push_back({beam.tokens, normalised(beam.sum, beam.tokens.size()), false});
        keep_best();
      }
      return finished;
    }
  }
}

}  // namespace hymt::test
