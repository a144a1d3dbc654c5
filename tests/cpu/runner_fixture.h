// A runner over a random model, and sequences that walk through it in steps of any shape.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "cpu/cpu_runner.h"
#include "support/random_model.h"

namespace hymt::cpu::test {

using model::Ask;
using model::Token;

inline Ask ask_for(Ask::Kind kind, int k = 0) {
  Ask ask;
  ask.kind = kind;
  ask.k = k;
  return ask;
}

// A runner with its pool.
struct Machine {
  explicit Machine(const model::Model& model, const std::string& kernels, int n_threads = 1,
                   int n_blocks = 64, const std::string& kv_type = "f16")
      : pool(n_threads) {
    Options options;
    options.kernels = kernels;
    options.kv_type = kv_type;
    options.n_blocks = n_blocks;
    options.max_batch_tokens = 256;
    options.max_batch_asks = 256;
    auto made = make_runner(model, options, pool);
    if (!made) ADD_FAILURE() << made.error().message;
    runner = std::move(made).value();
  }

  std::span<const model::Answer> run(const std::vector<Token>& tokens, const std::vector<Ask>& asks,
                                     const std::vector<model::Slice>& slices) {
    auto answers = runner->forward({tokens, asks, slices});
    if (!answers) ADD_FAILURE() << answers.error().message;
    return answers.value();
  }

  // The logits of every position of one sequence, in one step.
  std::vector<std::vector<float>> all_logits(const std::vector<Token>& tokens,
                                             std::vector<int32_t> blocks) {
    const std::vector<Ask> asks(tokens.size(), ask_for(Ask::Kind::logits));
    std::vector<std::vector<float>> logits;
    for (const auto& answer : run(tokens, asks, {{static_cast<int>(tokens.size()), 0, blocks}})) {
      logits.emplace_back(answer.logits.begin(), answer.logits.end());
    }
    return logits;
  }

  ThreadPool pool;
  std::unique_ptr<model::Runner> runner;
};

inline std::vector<Token> random_tokens(int n, int n_vocab, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<Token> tokens(static_cast<size_t>(n));
  for (Token& token : tokens) token = static_cast<Token>(random() % static_cast<uint32_t>(n_vocab));
  return tokens;
}

inline std::vector<int32_t> block_range(int first, int n) {
  std::vector<int32_t> blocks(static_cast<size_t>(n));
  std::iota(blocks.begin(), blocks.end(), first);
  return blocks;
}

}  // namespace hymt::cpu::test
