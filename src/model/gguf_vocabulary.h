// A vocabulary as GGUF metadata (tokenizer.ggml.*), in both directions. Pure.
#pragma once

#include "base/result.h"
#include "checkpoint/checkpoint.h"
#include "tokenizer/vocabulary.h"

namespace hymt::model {

// invalid_argument for a key that is missing or malformed, unsupported for another kind of
// tokenizer; the message names file, key and value.
Result<tokenizer::Vocabulary> read_vocabulary(const checkpoint::Checkpoint& checkpoint);

// Sets the keys that read_vocabulary reads, so that other programs understand the file as well:
// a rank-based vocabulary gets one merge a token, as converters write it, and the key
// hymt.tokenizer.ranks, which tells us that the merges only stand for the ranks. Fails only if the
// vocabulary is no byte-level one.
Result<void> write_vocabulary(const tokenizer::Vocabulary& vocabulary,
                              checkpoint::Checkpoint& checkpoint);

}  // namespace hymt::model
