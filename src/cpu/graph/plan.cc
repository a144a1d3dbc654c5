#include "cpu/graph/plan.h"

#include <algorithm>

#include "cpu/kernels/kernels.h"

namespace hymt::cpu {
namespace {

tl::unexpected<Error> refuse(const std::string& what) {
  return fail(Code::internal, "bad batch: " + what);
}

Result<void> check_slice(const model::Slice& slice, const model::Config& config, int n_blocks) {
  const int64_t end = int64_t{slice.position} + slice.n_tokens;
  if (slice.n_tokens < 1 || slice.position < 0) return refuse("an empty slice");
  if (end > config.n_context) {
    return refuse("position " + std::to_string(end - 1) + " in a context of " +
                  std::to_string(config.n_context));
  }
  const auto needed = static_cast<size_t>((end + kBlockTokens - 1) / kBlockTokens);
  if (slice.blocks.size() < needed) return refuse("too few KV blocks for a slice");
  for (size_t i = 0; i < needed; ++i) {
    if (slice.blocks[i] < 0 || slice.blocks[i] >= n_blocks) {
      return refuse("KV block " + std::to_string(slice.blocks[i]) + " of " +
                    std::to_string(n_blocks));
    }
  }
  return {};
}

Result<void> check_ask(const model::Ask& ask, const model::Config& config,
                       const model::Limits& limits) {
  if (ask.kind == model::Ask::Kind::top_k && (ask.k < 1 || ask.k > limits.max_top_k)) {
    return refuse("top " + std::to_string(ask.k) + " of at most " +
                  std::to_string(limits.max_top_k));
  }
  if (!(ask.repetition_penalty > 0)) return refuse("a repetition penalty that is not positive");
  for (const auto tokens : {ask.seen, ask.banned}) {
    for (const auto token : tokens) {
      if (token < 0 || token >= config.n_vocab) return refuse("token " + std::to_string(token));
    }
  }
  return {};
}

}  // namespace

Plan::Plan(int max_rows, const model::Config& config)
    : n_kv_heads_(config.n_kv_heads),
      tile_rows_(std::max(1, kMaxTileQueries * config.n_kv_heads / config.n_heads)) {
  rows_.reserve(static_cast<size_t>(max_rows));
  tiles_.reserve(static_cast<size_t>(max_rows));
  items_.reserve(static_cast<size_t>(max_rows) * static_cast<size_t>(n_kv_heads_));
  old_row_.reserve(static_cast<size_t>(max_rows));
}

Result<void> Plan::set(const model::Batch& batch, const model::Config& config,
                       const model::Limits& limits) {
  rows_.clear();
  tiles_.clear();
  old_row_.clear();
  const auto n_tokens = static_cast<int>(batch.tokens.size());
  if (n_tokens < 1 || n_tokens > limits.max_batch_tokens) {
    return refuse(std::to_string(n_tokens) + " rows of at most " +
                  std::to_string(limits.max_batch_tokens));
  }
  if (batch.asks.size() != batch.tokens.size()) return refuse("not one ask a row");
  int64_t covered = 0;
  for (const auto& slice : batch.slices) covered += slice.n_tokens;
  if (covered != n_tokens) return refuse("the slices do not cover the rows");
  for (const auto token : batch.tokens) {
    if (token < 0 || token >= config.n_vocab) return refuse("token " + std::to_string(token));
  }
  int n_asks = 0;
  for (const auto& ask : batch.asks) {
    HYMT_TRY(check_ask(ask, config, limits));
    n_asks += ask.kind != model::Ask::Kind::nothing;
  }
  if (n_asks > limits.max_batch_asks) {
    return refuse(std::to_string(n_asks) + " asks of at most " +
                  std::to_string(limits.max_batch_asks));
  }

  for (size_t s = 0; s < batch.slices.size(); ++s) {
    const model::Slice& slice = batch.slices[s];
    HYMT_TRY(check_slice(slice, config, limits.n_blocks));
    for (int i = 0; i < slice.n_tokens; ++i) {
      rows_.push_back({n_rows(), static_cast<int>(s), slice.position + i, slice.blocks.data()});
    }
  }
  cut_tiles();
  return {};
}

void Plan::keep_asking(const model::Batch& batch) {
  old_row_.clear();
  for (int row = 0; row < n_rows(); ++row) {
    const Row kept = rows_[static_cast<size_t>(row)];
    if (batch.asks[static_cast<size_t>(kept.index)].kind == model::Ask::Kind::nothing) continue;
    rows_[old_row_.size()] = kept;
    old_row_.push_back(row);
  }
  rows_.resize(old_row_.size());
  cut_tiles();
}

void Plan::cut_tiles() {
  tiles_.clear();
  for (int row = 0; row < n_rows(); ++row) {
    const Row& now = rows_[static_cast<size_t>(row)];
    if (!tiles_.empty()) {
      RowTile& tile = tiles_.back();
      const Row& first = rows_[static_cast<size_t>(tile.first)];
      if (tile.n < tile_rows_ && first.slice == now.slice &&
          first.position + tile.n == now.position) {
        ++tile.n;
        continue;
      }
    }
    tiles_.push_back({row, 1});
  }
  list_items();
}

void Plan::list_items() {
  items_.clear();
  const auto slice_of = [&](size_t tile) {
    return rows_[static_cast<size_t>(tiles_[tile].first)].slice;
  };
  for (size_t begin = 0, end = 0; begin < tiles_.size(); begin = end) {
    while (end < tiles_.size() && slice_of(end) == slice_of(begin)) ++end;
    for (int head = 0; head < n_kv_heads_; ++head) {
      for (size_t tile = end; tile-- > begin;) items_.push_back({tiles_[tile], head});
    }
  }
}

}  // namespace hymt::cpu
