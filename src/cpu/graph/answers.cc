#include "cpu/graph/answers.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "cpu/graph/parallel.h"

namespace hymt::cpu {
namespace {

using model::Ask;
using model::Candidate;

constexpr int kChunkPanels = 32;
constexpr int kChunk = kChunkPanels * kPanelRows;  // tokens

int wanted(const Ask& ask, int n_vocab) {
  switch (ask.kind) {
    case Ask::Kind::arg_max:
      return 1;
    case Ask::Kind::top_k:
      return std::min(ask.k, n_vocab);
    case Ask::Kind::nothing:
    case Ask::Kind::logits:
      break;
  }
  return 0;
}

// Penalty and bans, for tokens [first, first + n).
void adjust(const Ask& ask, int first, int n, float* logits) {
  if (ask.repetition_penalty != 1) {
    for (const auto token : ask.seen) {
      if (token < first || token >= first + n) continue;
      float& logit = logits[token - first];
      logit = logit > 0 ? logit / ask.repetition_penalty : logit * ask.repetition_penalty;
    }
  }
  for (const auto token : ask.banned) {
    if (token >= first && token < first + n) logits[token - first] = -INFINITY;
  }
}

}  // namespace

Result<Answers> Answers::allocate(int n_vocab, const model::Limits& limits, int n_workers) {
  constexpr const char* kWhat = "the answers of a batch";
  Answers a;
  a.ranges_ = std::make_unique<SharedRanges>(n_workers);
  a.n_vocab_ = n_vocab;
  a.n_chunks_ = (n_vocab + kChunk - 1) / kChunk;
  a.max_asks_ = limits.max_batch_asks;
  a.max_top_k_ = limits.max_top_k;
  const auto asks = static_cast<size_t>(limits.max_batch_asks);
  const auto workers = static_cast<size_t>(n_workers);
  const size_t lists = (workers + 1) * asks;
  a.answers_.resize(static_cast<size_t>(limits.max_batch_tokens));
  a.candidates_ =
      HYMT_TRY(Buffer<Candidate>::zeroed(lists * static_cast<size_t>(limits.max_top_k), kWhat));
  for (size_t i = 0; i < lists; ++i) {
    a.bests_.push_back({a.candidates_.data() + i * static_cast<size_t>(limits.max_top_k), 0});
  }
  a.sums_ = HYMT_TRY(Buffer<ChunkSum>::zeroed(asks * static_cast<size_t>(a.n_chunks_), kWhat));
  a.chunks_ = HYMT_TRY(Buffer<float>::zeroed(workers * asks * kChunk, kWhat));
  // Touched only when somebody asks for logits.
  a.logits_ = HYMT_TRY(Buffer<float>::allocate(asks * static_cast<size_t>(n_vocab), kWhat));
  return a;
}

namespace {

bool better(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.token < b.token);
}

// Keeps the k best, best first. The order in which candidates come does not matter.
void insert(Candidate candidate, int k, Candidate* list, int& n) {
  if (std::isnan(candidate.logit)) candidate.logit = -INFINITY;
  if (n == k) {
    if (!better(candidate, list[k - 1])) return;
    --n;
  }
  int at = n++;
  for (; at > 0 && better(candidate, list[at - 1]); --at) list[at] = list[at - 1];
  list[at] = candidate;
}

}  // namespace

void Answers::reduce_chunk(const Ask& ask, int row, int chunk, float* logits,
                           const Kernels& kernels, Best& best) {
  const int first = chunk * kChunk;
  const int n = std::min(kChunk, n_vocab_ - first);
  adjust(ask, first, n, logits);
  const int top = kernels.arg_max(logits, n);

  const int k = wanted(ask, n_vocab_);
  if (k == 1) {
    insert({first + top, logits[top]}, 1, best.list, best.n);
  } else if (k > 1 && (best.n < k || logits[top] >= best.list[k - 1].logit)) {
    for (int i = 0; i < n; ++i) insert({first + i, logits[i]}, k, best.list, best.n);
  }
  if (ask.kind == Ask::Kind::logits) {
    std::copy_n(logits, n,
                logits_.data() + static_cast<size_t>(row) * static_cast<size_t>(n_vocab_) + first);
  }
  if (ask.kind != Ask::Kind::arg_max) {
    const float max = logits[top];
    sums_[static_cast<size_t>(row) * static_cast<size_t>(n_chunks_) + static_cast<size_t>(chunk)] =
        {max, max > -INFINITY ? kernels.sum_exp(logits, n, max) : 0.0f};
  }
}

float Answers::log_sum_exp(int row) const {
  const ChunkSum* sums = sums_.data() + static_cast<size_t>(row) * static_cast<size_t>(n_chunks_);
  double max = -INFINITY;
  for (int c = 0; c < n_chunks_; ++c) max = std::max(max, static_cast<double>(sums[c].max));
  if (max == -INFINITY) return -INFINITY;
  double sum = 0;
  for (int c = 0; c < n_chunks_; ++c) {
    sum += static_cast<double>(sums[c].sum) * std::exp(static_cast<double>(sums[c].max) - max);
  }
  return static_cast<float>(max + std::log(sum));
}

void Answers::commit() {
  std::memset(logits_.data(), 0, logits_.size() * sizeof(float));
}

std::span<const model::Answer> Answers::compute(const model::Batch& batch, const Plan& plan,
                                                const Kernels& kernels, ThreadPool& pool,
                                                const PackedPanels& output, Activations& a,
                                                Profile* profile) {
  const Profile::Timer timer(profile, Part::vocabulary);
  const auto n_rows = static_cast<size_t>(plan.n_rows());
  const auto asks = static_cast<size_t>(max_asks_);
  const auto workers = static_cast<size_t>(pool.size());
  for (Best& best : bests_) best.n = 0;
  std::fill_n(answers_.begin(), batch.tokens.size(), model::Answer{});
  const std::span<const model::Answer> answers(answers_.data(), batch.tokens.size());
  if (n_rows == 0) return answers;

  const Panels& panels = output.panels();
  if (profile != nullptr) {
    profile->at(Part::vocabulary).add_product(panels, output.bytes(), plan.n_rows());
  }
  const int64_t work = product_work(plan.n_rows(), n_vocab_, panels.n_columns);
  ranges_->run(pool, n_chunks_, 1, work, [&](int begin, int end, int worker) {
    const auto w = static_cast<size_t>(worker);
    float* logits = chunks_.data() + w * asks * kChunk;
    for (int chunk = begin; chunk < end; ++chunk) {
      const int first = chunk * kChunkPanels;
      kernels.multiply[static_cast<int>(panels.format)](
          panels, first, std::min(first + kChunkPanels, panels.n_panels), a.input.rows,
          {logits, kChunk, Epilogue::store}, a.scratch[w].multiply.data());
      const Profile::Timer choosing(worker == 0 ? profile : nullptr, Part::choice,
                                    Part::vocabulary);
      for (size_t row = 0; row < n_rows; ++row) {
        const Ask& ask = batch.asks[static_cast<size_t>(plan.rows()[row].index)];
        reduce_chunk(ask, static_cast<int>(row), chunk, logits + row * kChunk, kernels,
                     bests_[w * asks + row]);
      }
    }
  });

  for (size_t row = 0; row < n_rows; ++row) {
    const auto index = static_cast<size_t>(plan.rows()[row].index);
    const Ask& ask = batch.asks[index];
    model::Answer& answer = answers_[index];
    Best& merged = bests_[workers * asks + row];
    const int k = wanted(ask, n_vocab_);
    for (size_t w = 0; w < workers && k > 0; ++w) {
      const Best& part = bests_[w * asks + row];
      for (int i = 0; i < part.n; ++i) insert(part.list[i], k, merged.list, merged.n);
    }
    answer.best = {merged.list, static_cast<size_t>(merged.n)};
    if (ask.kind != Ask::Kind::arg_max) answer.log_sum_exp = log_sum_exp(static_cast<int>(row));
    if (ask.kind == Ask::Kind::logits) {
      const auto n_vocab = static_cast<size_t>(n_vocab_);
      answer.logits = {logits_.data() + row * n_vocab, n_vocab};
    }
  }
  return answers;
}

}  // namespace hymt::cpu
