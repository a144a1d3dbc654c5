// A request inside the engine: its sequences and where they stand.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "base/clock.h"
#include "engine/beam_search.h"
#include "engine/block_pool.h"
#include "engine/loop_guard.h"
#include "engine/request.h"

namespace hymt::engine {

using RequestId = uint64_t;

struct Sequence {
  std::vector<Token> tokens;  // prompt, then answer
  int computed = 0;           // tokens whose K and V lie in the blocks
  std::vector<Block> blocks;  // of positions [0, computed) and of what the next step writes

  // A beam's answer, kept until those of its sisters have come too.
  bool answered = false;
  std::vector<model::Candidate> best;
  float log_sum_exp = 0;

  int length() const { return static_cast<int>(tokens.size()); }
};

// What is admitted, pre-empted and finished as one: a single sequence, or the beams of a request
// (one sequence until its prompt is computed).
struct Group {
  RequestId id = 0;
  Request request;
  std::shared_ptr<Listener> listener;
  std::vector<Sequence> sequences;
  std::optional<BeamSearch> beams;      // engaged for more than one beam
  std::optional<LoopGuard> loop_guard;  // engaged for one sequence whose length is not being forced
  int n_prompt = 0;
  int n_cached = 0;         // tokens of the prompt that were found computed
  int max_tokens = 0;       // request's, cut to what context and pool hold
  std::vector<Token> seen;  // distinct tokens so far, sorted, where a penalty needs them
  Time arrived;
  std::optional<Time> first_token;
  bool admitted_before = false;
  bool finished = false;  // told its listener; to be removed

  std::span<const Token> generated(const Sequence& sequence) const {
    return std::span<const Token>(sequence.tokens).subspan(static_cast<size_t>(n_prompt));
  }
  int n_generated(const Sequence& sequence) const { return sequence.length() - n_prompt; }
};

}  // namespace hymt::engine
