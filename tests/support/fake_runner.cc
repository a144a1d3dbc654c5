#include "support/fake_runner.h"

#include <algorithm>
#include <cmath>

#include "base/check.h"

namespace hymt::test {

FakeRunner::FakeRunner(int n_vocab, const model::Limits& limits, Logits logits, int n_context)
    : limits_(limits),
      logits_of_(std::move(logits)),
      cells_(static_cast<size_t>(limits.n_blocks * limits.block_tokens), -1) {
  config_.n_vocab = n_vocab;
  config_.n_context = n_context;
}

Token& FakeRunner::cell(std::span<const int32_t> blocks, int position) {
  const auto block = static_cast<size_t>(position / limits_.block_tokens);
  HYMT_CHECK(block < blocks.size());
  const int at = blocks[block] * limits_.block_tokens + position % limits_.block_tokens;
  HYMT_CHECK(at >= 0 && static_cast<size_t>(at) < cells_.size());
  return cells_[static_cast<size_t>(at)];
}

Result<std::span<const model::Answer>> FakeRunner::forward(const model::Batch& batch) {
  if (before_forward) HYMT_TRY(before_forward());
  ++n_forwards;
  n_rows += static_cast<int64_t>(batch.tokens.size());
  HYMT_CHECK(static_cast<int>(batch.tokens.size()) <= limits_.max_batch_tokens);
  HYMT_CHECK(batch.asks.size() == batch.tokens.size());
  const size_t n = batch.tokens.size();
  answers_.assign(n, {});
  logits_.assign(n, {});
  best_.assign(n, {});
  // Like the real one: first everything is written, then read.
  size_t row = 0;
  for (const auto& slice : batch.slices) {
    for (int i = 0; i < slice.n_tokens; ++i) {
      cell(slice.blocks, slice.position + i) = batch.tokens[row++];
    }
  }
  HYMT_CHECK(row == n);
  row = 0;
  int n_asks = 0;
  for (const auto& slice : batch.slices) {
    for (int i = 0; i < slice.n_tokens; ++i, ++row) {
      const model::Ask& ask = batch.asks[row];
      if (ask.kind == model::Ask::Kind::nothing) continue;
      ++n_asks;
      std::vector<Token> history;
      for (int p = 0; p <= slice.position + i; ++p) history.push_back(cell(slice.blocks, p));
      auto& logits = logits_[row];
      logits.assign(static_cast<size_t>(config_.n_vocab), 0.0f);
      logits_of_(history, logits);
      for (const Token token : ask.seen) {
        float& logit = logits[static_cast<size_t>(token)];
        logit = logit > 0 ? logit / ask.repetition_penalty : logit * ask.repetition_penalty;
      }
      for (const Token token : ask.banned) logits[static_cast<size_t>(token)] = -INFINITY;
      double sum = 0;
      for (const float logit : logits) sum += std::exp(static_cast<double>(logit));
      auto& best = best_[row];
      for (int token = 0; token < config_.n_vocab; ++token) {
        best.push_back({token, logits[static_cast<size_t>(token)]});
      }
      std::stable_sort(best.begin(), best.end(),
                       [](const auto& a, const auto& b) { return a.logit > b.logit; });
      const size_t k = ask.kind == model::Ask::Kind::arg_max ? 1 : static_cast<size_t>(ask.k);
      HYMT_CHECK(static_cast<int>(k) <= limits_.max_top_k || ask.kind == model::Ask::Kind::logits);
      best.resize(std::min(best.size(), k));
      answers_[row].best = best;
      if (ask.kind != model::Ask::Kind::arg_max) {
        answers_[row].log_sum_exp = static_cast<float>(std::log(sum));
      }
      if (ask.kind == model::Ask::Kind::logits) answers_[row].logits = logits;
    }
  }
  HYMT_CHECK(n_asks <= limits_.max_batch_asks);
  return std::span<const model::Answer>(answers_);
}

void FakeRunner::copy_blocks(std::span<const model::BlockCopy> copies) {
  for (const auto& copy : copies) {
    HYMT_CHECK(copy.n_tokens <= limits_.block_tokens);
    std::copy_n(cells_.begin() + copy.from * limits_.block_tokens, copy.n_tokens,
                cells_.begin() + copy.to * limits_.block_tokens);
  }
}

model::Limits small_limits(int n_blocks) {
  model::Limits limits;
  limits.block_tokens = 16;
  limits.n_blocks = n_blocks;
  limits.max_batch_tokens = 64;
  limits.max_batch_asks = 16;
  limits.max_top_k = 64;
  return limits;
}

FakeRunner::Logits deterministic(std::function<Token(std::span<const Token>)> next) {
  return [next = std::move(next)](std::span<const Token> history, std::vector<float>& logits) {
    const auto n = static_cast<int>(logits.size());
    const Token best = next(history);
    for (int token = 0; token < n; ++token) {
      const int distance = (token - best + n) % n;
      logits[static_cast<size_t>(token)] = 5.0f - 0.25f * static_cast<float>(distance);
    }
  };
}

Token hash_of(std::span<const Token> history, int n_vocab) {
  uint64_t hash = 1469598103934665603u;
  for (const Token token : history) hash = (hash ^ static_cast<uint64_t>(token)) * 1099511628211u;
  return static_cast<Token>((hash >> 20) % static_cast<uint64_t>(n_vocab));
}

}  // namespace hymt::test
