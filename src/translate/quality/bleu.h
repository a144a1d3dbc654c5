// BLEU (Papineni et al. 2002) of a corpus, one reference a sentence, as sacreBLEU computes it by
// default: n-grams up to 4, mixed case, exponential smoothing.
#pragma once

#include <array>
#include <string>
#include <vector>

#include "translate/quality/tokenize.h"

namespace hymt::translate::quality {

struct Bleu {
  double score = 0;                    // 0 to 100
  std::array<double, 4> precisions{};  // of 1-grams to 4-grams, 0 to 100
  double brevity_penalty = 0;          // 0 to 1
};

// As many hypotheses as references.
Bleu bleu(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
          Tokenizer tokenizer);

}  // namespace hymt::translate::quality
