// Made-up vocabularies with the form of the published ones, for models with random weights.
#pragma once

#include <cstdint>

#include "tokenizer/vocabulary.h"

namespace hymt::bench {

inline constexpr int kSmallestVocabulary = 320;

// All 256 bytes, then tokens that merges build from them (Chinese characters, words of Latin
// letters), then the family's special tokens. At 128256 and 120818 tokens the special ones stand
// at their published ids; a smaller vocabulary ends with the few that a prompt needs.
tokenizer::Vocabulary random_vocabulary(int n_vocab, tokenizer::PreTokenizer pre, uint64_t seed);

}  // namespace hymt::bench
