#include "engine/beam_search.h"

#include <algorithm>
#include <cmath>

namespace hymt::engine {

int BeamSearch::candidates_needed(const Params& params, size_t n_stop_ids) {
  return 2 * params.beams + static_cast<int>(n_stop_ids);
}

const std::vector<BeamSearch::Next>& BeamSearch::advance(
    std::span<const BeamAnswer> answers, std::span<const std::span<const Token>> generated,
    std::span<const Token> stop_ids, int max_tokens) {
  options_.clear();
  for (size_t beam = 0; beam < answers.size(); ++beam) {
    for (const auto& [token, logit] : answers[beam].best) {
      const double logprob = static_cast<double>(logit) - answers[beam].log_sum_exp;
      double sum = sums_[beam] + logprob;
      if (std::isnan(sum)) sum = -HUGE_VAL;  // a broken model's; it has no place in an order
      options_.push_back({sum, token, static_cast<int>(beam)});
    }
  }
  std::sort(options_.begin(), options_.end(), [](const Option& a, const Option& b) {
    if (a.sum != b.sum) return a.sum > b.sum;
    return a.token != b.token ? a.token < b.token : a.parent < b.parent;
  });

  next_.clear();
  std::vector<double> sums;
  const auto n_beams = static_cast<size_t>(params_.beams);
  const int n_generated = static_cast<int>(generated.front().size()) + 1;
  for (size_t rank = 0; rank < options_.size() && next_.size() < n_beams; ++rank) {
    const Option& option = options_[rank];
    if (std::find(stop_ids.begin(), stop_ids.end(), option.token) != stop_ids.end()) {
      if (rank < n_beams) {
        add_finished(generated[static_cast<size_t>(option.parent)], option.sum, n_generated,
                     FinishReason::stop);
      }
      continue;
    }
    next_.push_back({option.parent, option.token});
    sums.push_back(option.sum);
  }
  sums_ = std::move(sums);
  if (next_.empty() || ended(sums_.front(), n_generated)) {
    next_.clear();
  } else if (n_generated >= max_tokens) {
    std::vector<Token> tokens;
    for (size_t i = 0; i < next_.size(); ++i) {
      const auto& parent = generated[static_cast<size_t>(next_[i].parent)];
      tokens.assign(parent.begin(), parent.end());
      tokens.push_back(next_[i].token);
      add_finished(tokens, sums_[i], n_generated, FinishReason::length);
    }
    next_.clear();
  }
  return next_;
}

std::vector<Candidate> BeamSearch::finished() const {
  return finished_;
}

void BeamSearch::add_finished(std::span<const Token> tokens, double sum, int n_counted,
                              FinishReason reason) {
  Candidate candidate{{tokens.begin(), tokens.end()}, reason, score(sum, n_counted)};
  const auto place = std::find_if(finished_.begin(), finished_.end(), [&](const Candidate& other) {
    return other.score < candidate.score;
  });
  finished_.insert(place, std::move(candidate));
  if (finished_.size() > static_cast<size_t>(params_.beams)) finished_.pop_back();
}

bool BeamSearch::ended(double best_sum, int n_generated) const {
  if (finished_.size() < static_cast<size_t>(params_.beams)) return false;
  return params_.early_stopping || score(best_sum, n_generated) <= finished_.back().score;
}

float BeamSearch::score(double sum, int n_counted) const {
  return static_cast<float>(sum / std::pow(n_counted, params_.length_penalty));
}

}  // namespace hymt::engine
