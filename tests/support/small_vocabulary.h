// A byte-level vocabulary small enough to work out by hand.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tokenizer/vocabulary.h"

namespace hymt::test {

// Tokens 0 to 255 are the bytes; then one token for each merge, in order, from 256 on; then the
// control tokens. Each half of a merge must be a byte or an earlier merge's token (else it
// is -1, which no tokenizer takes).
tokenizer::Vocabulary small_vocabulary(
    const std::vector<std::pair<std::string, std::string>>& merges,
    const std::vector<std::string>& controls = {},
    tokenizer::PreTokenizer pre = tokenizer::PreTokenizer::hunyuan);

}  // namespace hymt::test
