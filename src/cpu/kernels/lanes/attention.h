// Attention on 16 lanes: a lane is a token while scores are computed, and a column of V while they
// are used. Include after the instruction set's lanes.h.
//
// Several queries (rows of a sequence, heads of a group) share each load of K and V. Every query's
// own arithmetic is the same whatever company it has: one chain of additions over d for a score,
// one over tokens for a column of the result, statistics merged chunk by chunk. Tokens that a
// query must not see have weight 0 exactly.
#pragma once

#include <math.h>

#include "cpu/kernels/kernels.h"
#include "cpu/kernels/lanes/math.h"

namespace hymt::cpu {
namespace {

// The tile's scratch memory and addresses, by query: query i is row i / group, head i % group.
struct AttentionState {
  const AttentionTile& tile;
  int n_queries;
  int d_padded;
  float* sums;    // [n_queries][d_padded] weighted V so far
  float* scores;  // [n_queries][kChunkTokens] of this chunk; then the weights
  float* max;     // [n_queries]
  float* shrink;  // [n_queries] what this chunk's new maximum makes of the older sums
  float* totals;  // [n_queries][16] of the weights so far, by lane
};

inline AttentionState make_state(const AttentionTile& tile) {
  AttentionState s = {tile,
                      tile.n_rows * tile.group,
                      (tile.d_head + 15) / 16 * 16,
                      tile.scratch,
                      nullptr,
                      nullptr,
                      nullptr,
                      nullptr};
  s.scores = s.sums + s.n_queries * s.d_padded;
  s.totals = s.scores + s.n_queries * kChunkTokens;
  s.max = s.totals + s.n_queries * 16;
  s.shrink = s.max + s.n_queries;
  return s;
}

inline const float* query(const AttentionTile& tile, int i) {
  return tile.q + static_cast<size_t>(i / tile.group) * tile.q_stride +
         static_cast<size_t>(i % tile.group * tile.d_head);
}

inline const uint8_t* block_of(const AttentionTile& tile, int token) {
  return tile.kv + static_cast<size_t>(tile.blocks[token / kBlockTokens]) * tile.block_stride;
}

// K and V of a block, as a type keeps them.
struct F16Block {
  const uint16_t* k;  // [d_head][16]
  const uint16_t* v;  // [16][d_padded]

  explicit F16Block(const uint8_t* block, int d_head, int)
      : k(reinterpret_cast<const uint16_t*>(block)), v(k + d_head * kBlockTokens) {}

  static inline Lanes numbers(const uint16_t* p) { return load_f16(p); }
  // What scores are multiplied by, and weights, of the block's tokens.
  inline Lanes scaled_by_k(Lanes scores) const { return scores; }
  inline Lanes scaled_by_v(Lanes weights) const { return weights; }
};

struct Int8Block {
  const int8_t* k;
  const float* k_scales;  // [16]
  const int8_t* v;
  const float* v_scales;

  explicit Int8Block(const uint8_t* block, int d_head, int d_padded)
      : k(reinterpret_cast<const int8_t*>(block)),
        k_scales(reinterpret_cast<const float*>(k + d_head * kBlockTokens)),
        v(reinterpret_cast<const int8_t*>(k_scales + kBlockTokens)),
        v_scales(reinterpret_cast<const float*>(v + d_padded * kBlockTokens)) {}

  static inline Lanes numbers(const int8_t* p) { return load_int8(p); }
  inline Lanes scaled_by_k(Lanes scores) const { return scores * load(k_scales); }
  inline Lanes scaled_by_v(Lanes weights) const { return weights * load(v_scales); }
};

template <class Block>
inline Block open_block(const AttentionState& s, int token) {
  return Block(block_of(s.tile, token), s.tile.d_head, s.d_padded);
}

// Scores of queries [first, first + N) with the 16 tokens of the block that starts at `token`.
template <class Block, int N>
inline void score_block(const AttentionState& s, int first, int chunk, int token) {
  const float* q[N];
  Lanes sum[N];
  for (int i = 0; i < N; ++i) {
    q[i] = query(s.tile, first + i);
    sum[i] = zero();
  }
  const Block block = open_block<Block>(s, token);
  const auto* k = block.k;
  // Memory works while we do: V of this block comes while the first queries are scored.
  const auto* v = first == 0 ? block.v : k;
  for (int d = 0; d < s.tile.d_head; ++d, k += kBlockTokens) {
    __builtin_prefetch(v + d * kBlockTokens);
    const Lanes tokens = Block::numbers(k);
    for (int i = 0; i < N; ++i) sum[i] = multiply_add(all(q[i][d]), tokens, sum[i]);
  }
  for (int i = 0; i < N; ++i) {
    store(s.scores + (first + i) * kChunkTokens + (token - chunk), block.scaled_by_k(sum[i]));
  }
}

// Turns a query's scores of the chunk into weights relative to the new maximum; of V as it is kept.
template <class Block>
inline void weigh(const AttentionState& s, int i, int chunk, int n_tokens) {
  const int seen = s.tile.n_visible + i / s.tile.group - chunk;  // of this chunk's tokens
  float* scores = s.scores + i * kChunkTokens;
  Lanes best = all(-INFINITY);
  for (int t = 0; t < n_tokens; t += 16) {
    if (t + 16 > seen) {
      const int n = seen > t ? seen - t : 0;
      store(scores + t, first_of(load(scores + t), n, all(-INFINITY)));
    }
    best = greater(load(scores + t), best);
  }
  const float chunk_max = greatest_of(best);
  const float old_max = s.max[i];
  const float max = chunk_max > old_max ? chunk_max : old_max;
  s.max[i] = max;
  s.shrink[i] = first_lane(exp_of(all(old_max - max)));
  Lanes total = load(s.totals + i * 16) * all(s.shrink[i]);
  for (int t = 0; t < n_tokens; t += 16) {
    const Lanes weight = exp_of(load(scores + t) - all(max));
    store(scores + t, open_block<Block>(s, chunk + t).scaled_by_v(weight));
    total = total + weight;
  }
  store(s.totals + i * 16, total);
}

// K that will be wanted when this chunk is done with: of the block a chunk after `token`, or what
// the tile after this one begins with. Null: nothing.
inline const uint8_t* k_after(const AttentionState& s, int token) {
  const int next = token + kChunkTokens;
  if (next < s.tile.n_visible + s.tile.n_rows - 1) return block_of(s.tile, next);
  return token % kChunkTokens == 0 ? s.tile.next : nullptr;
}

// Adds the weighted V of the chunk's first n_tokens tokens to the sums of queries [first, first +
// N).
template <class Block, int N>
inline void add_values(const AttentionState& s, int first, int chunk, int n_tokens) {
  for (int d = 0; d < s.d_padded; d += 16) {
    Lanes sum[N];
    for (int i = 0; i < N; ++i) {
      sum[i] = load(s.sums + (first + i) * s.d_padded + d) * all(s.shrink[first + i]);
    }
    for (int t = 0; t < n_tokens; t += kBlockTokens) {
      const auto* v = open_block<Block>(s, chunk + t).v + d;
      const int n = n_tokens - t < kBlockTokens ? n_tokens - t : kBlockTokens;
      if (const uint8_t* next_k = first == 0 ? k_after(s, chunk + t) : nullptr) {
        const auto* line = Block(next_k, s.tile.d_head, s.d_padded).k + d * kBlockTokens;
        constexpr int kLine = 64 / sizeof *line;
        for (int i = 0; i < 16 * kBlockTokens; i += kLine) __builtin_prefetch(line + i);
      }
      const float* weights = s.scores + first * kChunkTokens + t;
      for (int j = 0; j < n; ++j, v += s.d_padded) {
        const Lanes columns = Block::numbers(v);
        for (int i = 0; i < N; ++i) {
          sum[i] = multiply_add(all(weights[i * kChunkTokens + j]), columns, sum[i]);
        }
      }
    }
    for (int i = 0; i < N; ++i) store(s.sums + (first + i) * s.d_padded + d, sum[i]);
  }
}

template <class Block, int N>
inline void score_and_weigh(const AttentionState& s, int first, int chunk, int n_tokens) {
  for (int t = 0; t < n_tokens; t += kBlockTokens)
    score_block<Block, N>(s, first, chunk, chunk + t);
  for (int i = 0; i < N; ++i) weigh<Block>(s, first + i, chunk, n_tokens);
  add_values<Block, N>(s, first, chunk, n_tokens);
}

// Queries in groups of N, the rest in groups of N / 2, ...
template <class Block, int N>
inline void each_group(const AttentionState& s, int first, int chunk, int n_tokens) {
  for (; first + N <= s.n_queries; first += N) score_and_weigh<Block, N>(s, first, chunk, n_tokens);
  if constexpr (N > 1) each_group<Block, N / 2>(s, first, chunk, n_tokens);
}

inline void finish(const AttentionState& s, int i) {
  const float total = sum_of(load(s.totals + i * 16));
  float* out = s.tile.out + static_cast<size_t>(i / s.tile.group) * s.tile.out_stride +
               static_cast<size_t>(i % s.tile.group * s.tile.d_head);
  const float* sums = s.sums + i * s.d_padded;
  int d = 0;
  for (; d + 16 <= s.tile.d_head; d += 16) store(out + d, load(sums + d) / all(total));
  if (d < s.tile.d_head) store_part(out + d, load(sums + d) / all(total), s.tile.d_head - d);
}

template <class Block>
inline void attend(const AttentionTile& tile) {
  const AttentionState s = make_state(tile);
  for (int i = 0; i < s.n_queries; ++i) {
    s.max[i] = -INFINITY;
    store(s.totals + i * 16, zero());
    for (int d = 0; d < s.d_padded; d += 16) store(s.sums + i * s.d_padded + d, zero());
  }
  const int n_visible = tile.n_visible + tile.n_rows - 1;  // of the last row
  for (int chunk = 0; chunk < n_visible; chunk += kChunkTokens) {
    const int n = n_visible - chunk < kChunkTokens ? n_visible - chunk : kChunkTokens;
    each_group<Block, kQueriesAtOnce>(s, 0, chunk, n);
  }
  for (int i = 0; i < s.n_queries; ++i) finish(s, i);
}

}  // namespace
}  // namespace hymt::cpu
