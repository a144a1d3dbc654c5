// From logits to a token: what to ask the runner, and how to choose among what it answers.
//
// Definitions follow transformers' generate(): repetition penalty over prompt and answer, then
// temperature, then top-k, then top-p (the smallest set whose probability reaches top_p). Pure
// functions; a draw depends only on (seed, position), so that pre-emption changes no answer.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "engine/request.h"
#include "model/runner.h"

namespace hymt::engine {

// Every parameter in range, or invalid_argument naming the field.
Result<void> validate(const Params& params, int n_vocab);

// `seen`: distinct tokens of prompt and answer; `n_generated` tokens so far.
model::Ask make_ask(const Params& params, const model::Limits& limits, std::span<const Token> seen,
                    std::span<const Token> stop_ids, int n_generated);

// The chosen token, and its log-probability if the answer tells it (else 0). `scratch` is reused.
struct Choice {
  Token token;
  float logprob;
};
Choice choose(const Params& params, const model::Answer& answer, int n_generated,
              std::vector<model::Candidate>& scratch);

// The answer's best n with their log-probabilities.
TokenLogprobs logprobs_of(const model::Answer& answer, const Choice& choice, int n);

// Uniform in [0, 1): the draw of one position.
double draw(uint64_t seed, uint64_t position);

}  // namespace hymt::engine
