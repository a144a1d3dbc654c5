#include "engine/sampler.h"

#include <algorithm>
#include <cmath>

#include "engine/beam_search.h"

namespace hymt::engine {
namespace {

// The order of candidates: better first, ties to the lower id.
bool better(const model::Candidate& a, const model::Candidate& b) {
  return a.logit != b.logit ? a.logit > b.logit : a.token < b.token;
}

// The candidates of an answer that asked for all logits, best first, at most n of them.
void best_of(std::span<const float> logits, size_t n, std::vector<model::Candidate>& out) {
  out.resize(logits.size());
  for (size_t i = 0; i < logits.size(); ++i) out[i] = {static_cast<Token>(i), logits[i]};
  n = std::min(n, out.size());
  std::partial_sort(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(n), out.end(), better);
  out.resize(n);
}

// Without top-k: among 100,000 candidates, of which few have any weight. They are sorted only as
// far as top-p reaches.
Choice choose_from_all(const Params& params, const model::Answer& answer, int n_generated,
                       std::vector<model::Candidate>& scratch) {
  const std::span<const float> logits = answer.logits;
  const float top = *std::max_element(logits.begin(), logits.end());
  const auto weight = [&](float logit) {
    return std::exp(static_cast<double>(logit - top) / params.temperature);
  };
  double total = 0;
  for (const float logit : logits) total += weight(logit);
  const double drawn = draw(params.seed, static_cast<uint64_t>(n_generated));

  if (params.top_p >= 1) {
    double left = drawn * total;
    size_t token = 0;
    while (token + 1 < logits.size() && (left -= weight(logits[token])) >= 0) ++token;
    return {static_cast<Token>(token), logits[token] - answer.log_sum_exp};
  }
  size_t n_kept = 0;
  double kept = 0;
  for (size_t n_sorted = 256; n_kept == 0; n_sorted *= 16) {
    best_of(logits, n_sorted, scratch);
    kept = 0;
    for (size_t i = 0; i < scratch.size() && n_kept == 0; ++i) {
      kept += weight(scratch[i].logit);
      if (kept >= params.top_p * total || i + 1 == logits.size()) n_kept = i + 1;
    }
  }
  double left = drawn * kept;
  size_t chosen = 0;
  while (chosen + 1 < n_kept && (left -= weight(scratch[chosen].logit)) >= 0) ++chosen;
  return {scratch[chosen].token, scratch[chosen].logit - answer.log_sum_exp};
}

}  // namespace

Result<void> validate(const Params& params, int n_vocab) {
  const auto check = [](bool ok, const char* field, const std::string& range) -> Result<void> {
    if (ok) return {};
    return fail(Code::invalid_argument, std::string(field) + " must be " + range, field);
  };
  const auto in = [](float value, float low, float high) { return value >= low && value <= high; };
  HYMT_TRY(check(params.max_tokens >= 1, "max_tokens", "at least 1"));
  HYMT_TRY(check(params.min_tokens >= 0 && params.min_tokens <= params.max_tokens, "min_tokens",
                 "from 0 to max_tokens"));
  HYMT_TRY(check(in(params.temperature, 0, 100), "temperature", "from 0 to 100"));
  HYMT_TRY(check(params.top_k >= 0 && params.top_k <= n_vocab, "top_k",
                 "from 0 (off) to the vocabulary's size"));
  HYMT_TRY(check(params.top_p > 0 && params.top_p <= 1, "top_p", "above 0 and at most 1"));
  HYMT_TRY(
      check(in(params.repetition_penalty, 0.01f, 100), "repetition_penalty", "from 0.01 to 100"));
  HYMT_TRY(check(params.beams >= 1 && params.beams <= kMaxBeams, "beams",
                 "from 1 to " + std::to_string(kMaxBeams)));
  HYMT_TRY(check(in(params.length_penalty, -10, 10), "length_penalty", "from -10 to 10"));
  HYMT_TRY(check(params.logprobs >= 0 && params.logprobs <= n_vocab, "logprobs",
                 "from 0 to the vocabulary's size"));
  HYMT_TRY(check(params.beams == 1 || params.temperature == 0, "beams",
                 "1 when temperature is above 0"));
  return {};
}

model::Ask make_ask(const Params& params, const model::Limits& limits, std::span<const Token> seen,
                    std::span<const Token> stop_ids, int n_generated) {
  const bool greedy = params.temperature == 0;
  model::Ask ask;
  if (params.ignore_eos || n_generated < params.min_tokens) ask.banned = stop_ids;
  if (!greedy && params.repetition_penalty != 1) {
    ask.repetition_penalty = params.repetition_penalty;
    ask.seen = seen;
  }
  int k = std::max(greedy ? 1 : params.top_k, params.logprobs);
  if (params.beams > 1) k = BeamSearch::candidates_needed(params, stop_ids.size());
  const bool bounded = greedy || params.top_k > 0;
  if (k == 1 && greedy && params.logprobs == 0) {
    ask.kind = model::Ask::Kind::arg_max;
  } else if (bounded && k <= limits.max_top_k) {
    ask.kind = model::Ask::Kind::top_k;
    ask.k = k;
  } else {
    ask.kind = model::Ask::Kind::logits;
  }
  return ask;
}

Choice choose(const Params& params, const model::Answer& answer, int n_generated,
              std::vector<model::Candidate>& scratch) {
  const bool all = !answer.logits.empty();
  const bool greedy = params.temperature == 0;
  if (greedy) {
    const model::Candidate best =
        all ? [&] {
          const auto at = std::max_element(answer.logits.begin(), answer.logits.end());
          return model::Candidate{static_cast<Token>(at - answer.logits.begin()), *at};
        }()
            : answer.best.front();
    return {best.token, best.logit - answer.log_sum_exp};
  }

  if (all && params.top_k == 0) return choose_from_all(params, answer, n_generated, scratch);

  const auto k = static_cast<size_t>(params.top_k);
  if (all) {
    best_of(answer.logits, k, scratch);
  } else {
    const auto first = answer.best.first(std::min(k, answer.best.size()));
    scratch.assign(first.begin(), first.end());
  }

  // Probabilities of what top-k left, relative to the best.
  const auto weight = [&](const model::Candidate& candidate) {
    return std::exp(static_cast<double>(candidate.logit - scratch.front().logit) /
                    params.temperature);
  };
  double total = 0;
  for (const auto& candidate : scratch) total += weight(candidate);
  double kept = 0;
  size_t n_kept = 0;  // top-p: a token stays while those before it do not reach top_p
  while (n_kept < scratch.size() && (n_kept == 0 || kept < params.top_p * total)) {
    kept += weight(scratch[n_kept++]);
  }

  double left = draw(params.seed, static_cast<uint64_t>(n_generated)) * kept;
  size_t chosen = 0;
  while (chosen + 1 < n_kept && (left -= weight(scratch[chosen])) >= 0) ++chosen;
  const model::Candidate& candidate = scratch[chosen];
  return {candidate.token, candidate.logit - answer.log_sum_exp};
}

TokenLogprobs logprobs_of(const model::Answer& answer, const Choice& choice, int n) {
  TokenLogprobs out{choice.token, choice.logprob, {}};
  std::vector<model::Candidate> all;
  std::span<const model::Candidate> best = answer.best;
  if (!answer.logits.empty()) {
    best_of(answer.logits, static_cast<size_t>(n), all);
    best = all;
  }
  for (const auto& candidate : best.first(std::min(static_cast<size_t>(n), best.size()))) {
    out.best.emplace_back(candidate.token, candidate.logit - answer.log_sum_exp);
  }
  return out;
}

double draw(uint64_t seed, uint64_t position) {
  // SplitMix64 (Steele, Lea, Flood 2014), as a function of its counter.
  uint64_t z = seed + (position + 1) * 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  z ^= z >> 31;
  return static_cast<double>(z >> 11) * 0x1p-53;
}

}  // namespace hymt::engine
