#include "translate/quality/bleu.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"
#include "translate/quality/ngrams.h"

namespace hymt::translate::quality {
namespace {

constexpr size_t kOrder = 4;

struct Counts {
  std::array<int64_t, kOrder> correct{};
  std::array<int64_t, kOrder> total{};
  int64_t hypothesis_length = 0;
  int64_t reference_length = 0;
};

void count(const std::vector<std::string>& hypothesis, const std::vector<std::string>& reference,
           Counts& counts) {
  counts.hypothesis_length += static_cast<int64_t>(hypothesis.size());
  counts.reference_length += static_cast<int64_t>(reference.size());
  for (size_t n = 1; n <= kOrder; ++n) {
    const auto of_hypothesis = ngrams(std::span<const std::string>(hypothesis), n);
    const auto of_reference = ngrams(std::span<const std::string>(reference), n);
    counts.correct[n - 1] += matches(of_hypothesis, of_reference);
    if (hypothesis.size() >= n) {
      counts.total[n - 1] += static_cast<int64_t>(hypothesis.size() - n + 1);
    }
  }
}

}  // namespace

Bleu bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
          Tokenizer tokenizer) {
  HYMT_CHECK(hypotheses.size() == references.size());
  Counts counts;
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    count(tokenize(tokenizer, hypotheses[i]), tokenize(tokenizer, references[i]), counts);
  }

  Bleu bleu;
  if (counts.hypothesis_length == 0) return bleu;
  const double ratio =
      static_cast<double>(counts.reference_length) / static_cast<double>(counts.hypothesis_length);
  bleu.brevity_penalty = ratio > 1 ? std::exp(1 - ratio) : 1;
  const auto right = [](int64_t n) { return n > 0; };
  if (std::none_of(counts.correct.begin(), counts.correct.end(), right)) return bleu;

  // Smoothing: each order without a match counts as half a match, then a quarter, ...
  double smooth = 1;
  double log_sum = 0;
  for (size_t n = 0; n < kOrder; ++n) {
    if (counts.total[n] == 0) return bleu;  // too short for such n-grams: the score is 0
    const auto total = static_cast<double>(counts.total[n]);
    if (counts.correct[n] == 0) {
      smooth *= 2;
      bleu.precisions[n] = 100 / (smooth * total);
    } else {
      bleu.precisions[n] = 100 * static_cast<double>(counts.correct[n]) / total;
    }
    log_sum += std::log(bleu.precisions[n]);
  }
  bleu.score = bleu.brevity_penalty * std::exp(log_sum / kOrder);
  return bleu;
}

}  // namespace hymt::translate::quality
