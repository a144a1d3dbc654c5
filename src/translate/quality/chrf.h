// chrF (Popović 2015, 2017) of a corpus, one reference a sentence, as sacreBLEU computes it:
// character n-grams up to 6, beta 2, no white space.
#pragma once

#include <string>
#include <vector>

namespace hymt::translate::quality {

// word_order 0 is chrF2, 2 is chrF2++ (which adds word n-grams). 0 to 100. As many hypotheses as
// references.
double chrf(const std::vector<std::string>& hypotheses, const std::vector<std::string>& references,
            size_t word_order);

}  // namespace hymt::translate::quality
