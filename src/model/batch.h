// The one ragged batch: prefill chunks, decoding sequences and beams side by side in one step.
#pragma once

#include <cstdint>
#include <span>

#include "tokenizer/vocabulary.h"

namespace hymt::model {

using tokenizer::Token;

// What a row wants to know about its next token. The penalty and the ban are applied to the
// logits before anything else looks at them.
struct Ask {
  enum class Kind : uint8_t { nothing, arg_max, top_k, logits };
  Kind kind = Kind::nothing;
  int k = 0;                           // top_k: 1 to Limits::max_top_k
  float repetition_penalty = 1;        // > 0; a positive logit of `seen` is divided by it, a
                                       // negative one multiplied (CTRL; as transformers does)
  std::span<const Token> seen = {};    // distinct tokens
  std::span<const Token> banned = {};  // logit becomes -infinity
};

// Consecutive rows that belong to one sequence.
struct Slice {
  int n_tokens = 0;
  int position = 0;  // of its first row
  std::span<const int32_t> blocks =
      {};  // KV blocks of positions [0, position + n_tokens), in order
};

struct Batch {
  std::span<const Token> tokens;  // [n_tokens]
  std::span<const Ask> asks;      // [n_tokens]
  std::span<const Slice> slices;  // [n_seqs]; their n_tokens add up to the batch's
};

struct Candidate {
  Token token = 0;
  float logit = 0;
};

struct Answer {
  std::span<const Candidate> best = {};  // arg_max: 1; top_k: k, best first, ties to the lower id
  float log_sum_exp = 0;                 // of all logits (top_k and logits): log p = logit - this
  std::span<const float> logits = {};    // [n_vocab], only for Kind::logits
};

}  // namespace hymt::model
