// Same text, same bytes: what a sequence is answered depends on nothing but the sequence.
#include <gtest/gtest.h>

#include <cstring>

#include "cpu/kernels/dispatch.h"
#include "cpu/runner_fixture.h"

namespace hymt::cpu::test {
namespace {

using checkpoint::DType;

struct Case {
  std::string kernels;
  DType type;
  std::string kv_type = "f16";
};

class SameBytes : public testing::TestWithParam<Case> {
 protected:
  SameBytes() {
    recipe_.config = hymt::test::tiny_config();
    recipe_.config.n_layers = 2;
    recipe_.type = GetParam().type;
    model_ = hymt::test::make_random_model(recipe_);
    tokens_ = random_tokens(kLength, recipe_.config.n_vocab, 5);
    Machine alone = machine();
    expected_ = alone.all_logits(tokens_, block_range(0, kBlocks));
  }

  Machine machine(int n_threads = 1) const {
    return Machine(model_, GetParam().kernels, n_threads, 64, GetParam().kv_type);
  }

  void expect_same(std::span<const float> logits, int position, const std::string& how) {
    const auto& expected = expected_[static_cast<size_t>(position)];
    ASSERT_EQ(logits.size(), expected.size());
    ASSERT_EQ(std::memcmp(logits.data(), expected.data(), logits.size_bytes()), 0)
        << how << ", position " << position;
  }

  // The sequence in chunks of so many tokens, every row asking for its logits.
  void expect_same_in_chunks(Machine& machine, int chunk, const std::vector<int32_t>& blocks,
                             const std::string& how) {
    for (int at = 0; at < kLength; at += chunk) {
      const int n = std::min(chunk, kLength - at);
      const std::vector<Token> part(tokens_.begin() + at, tokens_.begin() + at + n);
      const std::vector<Ask> asks(part.size(), ask_for(Ask::Kind::logits));
      const auto answers = machine.run(part, asks, {{n, at, blocks}});
      for (int i = 0; i < n; ++i) {
        expect_same(answers[static_cast<size_t>(i)].logits, at + i, how);
        if (HasFatalFailure()) return;
      }
    }
  }

  static constexpr int kLength = 150;  // three chunks of attention
  static constexpr int kBlocks = 10;
  hymt::test::RandomModel recipe_;
  model::Model model_;
  std::vector<Token> tokens_;
  std::vector<std::vector<float>> expected_;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string& kernels : kernel_names()) {
    for (const DType type : {DType::bf16, DType::q8_0, DType::q4_0, DType::f32}) {
      all.push_back({kernels, type});
    }
    all.push_back({kernels, DType::bf16, "q8_0"});
  }
  return all;
}
INSTANTIATE_TEST_SUITE_P(Tables, SameBytes, testing::ValuesIn(cases()), [](const auto& c) {
  return c.param.kernels + "_" + std::string(checkpoint::name(c.param.type)) +
         (c.param.kv_type == "f16" ? "" : "_kv_" + c.param.kv_type);
});

TEST_P(SameBytes, InChunksOfAnySize) {
  Machine machine = this->machine();
  for (const int chunk : {1, 7, 64}) {
    expect_same_in_chunks(machine, chunk, block_range(0, kBlocks),
                          "chunks of " + std::to_string(chunk));
  }
}

TEST_P(SameBytes, OnAnyNumberOfThreads) {
  for (const int n_threads : {2, 3}) {
    Machine machine = this->machine(n_threads);
    expect_same_in_chunks(machine, 64, block_range(0, kBlocks),
                          std::to_string(n_threads) + " threads");
  }
}

TEST_P(SameBytes, InAnyBlocks) {
  Machine machine = this->machine();
  // Blocks that other sequences have used, in a wild order.
  machine.all_logits(random_tokens(200, recipe_.config.n_vocab, 6), block_range(0, 64));
  std::vector<int32_t> blocks = block_range(0, 64);
  std::shuffle(blocks.begin(), blocks.end(), std::mt19937(3));
  expect_same_in_chunks(machine, 64, blocks, "shuffled blocks");
}

TEST_P(SameBytes, InARaggedBatchWithOthers) {
  Machine machine = this->machine(2);
  const std::vector<int32_t> ours = block_range(20, kBlocks);
  const int n_vocab = recipe_.config.n_vocab;
  std::mt19937 random(8);
  // Each step: another sequence's prefill, a part of ours, three others decoding.
  std::vector<std::vector<int32_t>> others;
  for (int i = 0; i < 4; ++i) others.push_back(block_range(30 + 5 * i, 5));
  int decoded = 0;
  for (int at = 0; at < kLength;) {
    const int n = std::min(1 + static_cast<int>(random() % 40), kLength - at);
    const int prefill = 1 + static_cast<int>(random() % 60);
    std::vector<Token> tokens = random_tokens(prefill, n_vocab, random());
    std::vector<model::Slice> slices = {{prefill, 0, others[3]}, {n, at, ours}};
    tokens.insert(tokens.end(), tokens_.begin() + at, tokens_.begin() + at + n);
    for (int i = 0; i < 3; ++i) {
      tokens.push_back(static_cast<Token>(i));
      slices.push_back({1, decoded, others[static_cast<size_t>(i)]});
    }
    ++decoded;
    // Some rows ask, some do not, and in different ways; ours for logits where it may.
    std::vector<Ask> asks(tokens.size());
    asks[0] = ask_for(Ask::Kind::arg_max);
    asks.back() = ask_for(Ask::Kind::top_k, 5);
    for (int i = 0; i < n; ++i) {
      if (i % 2 == 0 || i + 1 == n) {
        asks[static_cast<size_t>(prefill + i)] = ask_for(Ask::Kind::logits);
      }
    }
    const auto answers = machine.run(tokens, asks, slices);
    for (int i = 0; i < n; ++i) {
      const auto& answer = answers[static_cast<size_t>(prefill + i)];
      if (answer.logits.empty()) continue;
      expect_same(answer.logits, at + i, "in company");
      if (HasFatalFailure()) return;
    }
    at += n;
  }
}

TEST_P(SameBytes, AfterItsBlocksWereCopied) {
  Machine machine = this->machine();
  const int prefix = 70;  // four blocks and a part
  const std::vector<int32_t> from = block_range(0, kBlocks);
  machine.run({tokens_.begin(), tokens_.begin() + prefix}, std::vector<Ask>(prefix),
              {{prefix, 0, from}});
  std::vector<int32_t> to = from;
  to[4] = 50;  // whole blocks are shared, the last is a copy
  const model::BlockCopy copy{4, 50, prefix - 64};
  machine.runner->copy_blocks({&copy, 1});
  // The original goes another way.
  machine.run({1, 2, 3}, std::vector<Ask>(3), {{3, prefix, from}});
  const std::vector<Token> rest(tokens_.begin() + prefix, tokens_.end());
  for (size_t i = 5; i < to.size(); ++i) to[i] += 30;
  std::vector<Ask> asks(rest.size());
  std::fill_n(asks.begin(), 60, ask_for(Ask::Kind::logits));
  const auto answers = machine.run(rest, asks, {{static_cast<int>(rest.size()), prefix, to}});
  for (int i = 0; i < 60; ++i) {
    expect_same(answers[static_cast<size_t>(i)].logits, prefix + i, "after a copy");
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace hymt::cpu::test
