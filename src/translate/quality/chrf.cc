#include "translate/quality/chrf.h"

#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "translate/quality/ngrams.h"
#include "translate/quality/tokenize.h"

namespace hymt::translate::quality {
namespace {

constexpr size_t kCharacterOrder = 6;
constexpr double kBeta = 2;

struct Counts {
  int64_t hypothesis = 0;
  int64_t reference = 0;
  int64_t matching = 0;
};

template <class Unit>
void add(const std::vector<Unit>& hypothesis, const std::vector<Unit>& reference, size_t n,
         Counts& counts) {
  const auto number = [n](const std::vector<Unit>& units) {
    return units.size() >= n ? static_cast<int64_t>(units.size() - n + 1) : 0;
  };
  counts.reference += number(reference);
  if (number(reference) == 0) return;  // nothing to be compared with: not held against it
  counts.hypothesis += number(hypothesis);
  counts.matching += matches(ngrams(std::span<const Unit>(hypothesis), n),
                             ngrams(std::span<const Unit>(reference), n));
}

// Words with one punctuation mark cut off: at the end, else at the beginning.
std::vector<std::string> words(std::string_view sentence) {
  constexpr std::string_view kMarks = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";
  const auto mark = [&](char c) { return kMarks.find(c) != std::string_view::npos; };
  std::vector<std::string> out;
  for (auto& word : split(sentence)) {
    if (decode(word).size() > 1 && mark(word.back())) {
      out.push_back(word.substr(0, word.size() - 1));
      out.emplace_back(1, word.back());
    } else if (decode(word).size() > 1 && mark(word.front())) {
      out.emplace_back(1, word.front());
      out.push_back(word.substr(1));
    } else {
      out.push_back(std::move(word));
    }
  }
  return out;
}

std::vector<char32_t> characters(std::string_view sentence) {
  std::vector<char32_t> out;
  for (const auto& word : split(sentence)) {
    const auto decoded = decode(word);
    out.insert(out.end(), decoded.begin(), decoded.end());
  }
  return out;
}

double f_score(double precision, double recall) {
  constexpr double kFactor = kBeta * kBeta;
  const double sum = kFactor * precision + recall;
  return sum > 0 ? (1 + kFactor) * precision * recall / sum : 0;
}

}  // namespace

double chrf(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
            size_t word_order) {
  HYMT_CHECK(hypotheses.size() == references.size());
  std::vector<Counts> orders(kCharacterOrder + word_order);
  for (size_t i = 0; i < hypotheses.size(); ++i) {
    const auto hypothesis = characters(hypotheses[i]);
    const auto reference = characters(references[i]);
    for (size_t n = 1; n <= kCharacterOrder; ++n) add(hypothesis, reference, n, orders[n - 1]);
    if (word_order == 0) continue;
    const auto said = words(hypotheses[i]);
    const auto meant = words(references[i]);
    for (size_t n = 1; n <= word_order; ++n) add(said, meant, n, orders[kCharacterOrder + n - 1]);
  }

  // Precision and recall are averaged over the orders that both sides have.
  double precision = 0;
  double recall = 0;
  int n_orders = 0;
  for (const auto& counts : orders) {
    if (counts.hypothesis == 0 || counts.reference == 0) continue;
    precision += static_cast<double>(counts.matching) / static_cast<double>(counts.hypothesis);
    recall += static_cast<double>(counts.matching) / static_cast<double>(counts.reference);
    ++n_orders;
  }
  return n_orders == 0 ? 0 : 100 * f_score(precision / n_orders, recall / n_orders);
}

}  // namespace hymt::translate::quality
