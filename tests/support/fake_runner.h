// A runner without a model: it remembers each token in the KV block it is told to use, and answers
// from what it finds there, so that a block lost, shared or overwritten by mistake changes answers.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "model/runner.h"

namespace hymt::test {

using tokenizer::Token;

class FakeRunner final : public model::Runner {
 public:
  // The logits [n_vocab] after a history of tokens.
  using Logits = std::function<void(std::span<const Token> history, std::vector<float>& logits)>;

  FakeRunner(int n_vocab, const model::Limits& limits, Logits logits, int n_context = 4096);

  const model::Config& config() const override { return config_; }
  const model::Limits& limits() const override { return limits_; }
  std::string name() const override { return "fake"; }
  Result<std::span<const model::Answer>> forward(const model::Batch& batch) override;
  void copy_blocks(std::span<const model::BlockCopy> copies) override;

  int n_forwards = 0;
  int64_t n_rows = 0;                            // all rows computed
  std::function<Result<void>()> before_forward;  // to fail, to wait, to count

 private:
  Token& cell(std::span<const int32_t> blocks, int position);

  model::Config config_;
  model::Limits limits_;
  Logits logits_of_;
  std::vector<Token> cells_;  // [n_blocks * block_tokens]; -1: never written
  std::vector<model::Answer> answers_;
  std::vector<std::vector<float>> logits_;
  std::vector<std::vector<model::Candidate>> best_;
};

// A small pool: 16-token blocks, batches of 64 rows.
model::Limits small_limits(int n_blocks);

// Logits that make `next(history)` the best token, with a spread below it that depends on the
// history too.
FakeRunner::Logits deterministic(std::function<Token(std::span<const Token>)> next);

// A token in [0, n_vocab) that depends on every token of the history and its place.
Token hash_of(std::span<const Token> history, int n_vocab);

}  // namespace hymt::test
