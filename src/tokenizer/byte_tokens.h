// The 256 tokens that every text starts from.
#pragma once

#include <array>

#include "base/result.h"
#include "tokenizer/merge_table.h"

namespace hymt::tokenizer {

// The token of each single byte. -1 for those that never occur in valid UTF-8, if the vocabulary
// lacks them; lacking any other is an error.
Result<std::array<Token, 256>> find_byte_tokens(const Vocabulary& vocabulary,
                                                const TokenIndex& index);

}  // namespace hymt::tokenizer
