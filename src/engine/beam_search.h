// Beam search bookkeeping for one request: a pure function of what the model answered.
//
// Score of an answer: sum of the log-probabilities of its tokens (the stop token included) divided
// by their number ^ length_penalty. A stop token finishes an answer only where it is among the
// best `beams` continuations of the step; otherwise it is passed over. Ties go to the lower token
// id, then to the earlier beam. Knows no blocks and no text.
#pragma once

#include <span>
#include <vector>

#include "engine/request.h"

namespace hymt::engine {

// What one live beam was told about its next token: the best ones with their logits, best first.
struct BeamAnswer {
  std::span<const model::Candidate> best;
  float log_sum_exp = 0;
};

class BeamSearch {
 public:
  // A live beam of the next step: a continuation of an earlier one.
  struct Next {
    int parent;  // index of the beam it continues
    Token token;
  };

  explicit BeamSearch(const Params& params) : params_(params) {}

  // Candidates each beam must be asked for, so that `beams` of them go on whatever stops.
  static int candidates_needed(const Params& params, size_t n_stop_ids);

  // One step: `answers` [n_live] and the tokens generated so far by each live beam [n_live].
  // Returns the beams that go on, best first, at most `beams`; empty when the search has ended.
  const std::vector<Next>& advance(std::span<const BeamAnswer> answers,
                                   std::span<const std::span<const Token>> generated,
                                   std::span<const Token> stop_ids, int max_tokens);

  // The finished answers, best first. Complete once advance() has returned nothing; before that
  // (a cancel, a deadline) what has finished so far.
  std::vector<Candidate> finished() const;

 private:
  struct Option {
    double sum;
    Token token;
    int parent;
  };
  void add_finished(std::span<const Token> tokens, double sum, int n_counted, FinishReason reason);
  bool ended(double best_sum, int n_generated) const;
  float score(double sum, int n_counted) const;

  Params params_;
  std::vector<double> sums_ = {0};   // [n_live] log-probabilities
  std::vector<Candidate> finished_;  // best first, at most `beams`
  std::vector<Option> options_;      // of the step
  std::vector<Next> next_;
};

}  // namespace hymt::engine
