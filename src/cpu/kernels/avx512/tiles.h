// How a product is cut into register tiles, and what becomes of a tile's sums. Internal linkage
// throughout, see panels.h.
//
// Pairs of panels are taken in the order in which they lie in memory. A pair is cut into chunks
// that stay in the first-level cache while all input rows pass by, in tiles of a few;
// between chunks a tile's sums rest in memory.
//
// A Product has
//   kFormat             what its weights look like
//   kUsualRows          rows of the tile that computes fastest
//   kMaxRows            up to so many rows one tile is better than two that read weights twice
//   kWaitingRows        so many rows and fewer wait for memory
//   add<M>(chunk, x, row, acc)  acc[m][p] += the chunk's products with rows row .. row + M - 1
// and adds an output's terms in one order, whatever M and the chunk: a row must not notice its
// tile.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/avx512/lanes.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/lanes/math.h"

namespace hymt::cpu {
namespace {

constexpr int kRowsAtOnce = 48;  // whose sums rest at a time
constexpr size_t kChunkBytes = size_t{24} << 10;

// How far ahead of its turn a line is asked for, in bytes. A product that waits for memory does
// best when the processor's own prefetchers set the pace; one that computes meanwhile keeps them
// from seeing the stream, and wants lines to be under way for long.
constexpr size_t kNear = 1024;
constexpr size_t kFar = 24576;

// Into the second-level cache, which can wait for more lines at once than the first.
inline void prefetch(const uint8_t* p) {
  _mm_prefetch(reinterpret_cast<const char*>(p), _MM_HINT_T1);
}

// Consecutive groups of a pair of panels.
struct Chunk {
  const uint8_t* groups;
  size_t first_group;
  size_t n_groups;
  size_t ahead;          // how far behind a group the line lies that is asked for with it,
  size_t asking, asked;  // by groups [asking, asked): a tile asks for its share, so that memory is
                         // never idle
};

// What becomes of a tile with a chunk.
struct Place {
  float* sums;  // [rows][2][16], where they rest
  float* y;     // row 0 of the tile, at the column of the pair (swiglu: of its one output)
  size_t stride;
  Epilogue epilogue;
  bool first;  // chunk: sums start at zero
  bool last;   // chunk: sums are complete
  int begin;   // the panels of the pair that are wanted
  int end;
};

template <int M>
inline void write_tile(const __m512 (&acc)[M][2], const Place& place) {
  float* y = place.y;
  for (int m = 0; m < M; ++m, y += place.stride) {
    if (place.epilogue == Epilogue::swiglu) {
      store(y, silu_of({acc[m][0]}) * Lanes{acc[m][1]});
      continue;
    }
    for (int p = place.begin; p < place.end; ++p) {
      const Lanes sum = {acc[m][p]};
      float* at = y + p * kPanelRows;
      store(at, place.epilogue == Epilogue::add ? load(at) + sum : sum);
    }
  }
}

// Rows [row, row + n), n <= M, as one tile.
template <class Product, int M>
inline void one_tile(const Chunk& chunk, const InputRows& x, int row, int n, const Place& place) {
  if constexpr (M > 1) {
    if (n < M) return one_tile<Product, M - 1>(chunk, x, row, n, place);
  }
  __m512 acc[M][2];
  for (int m = 0; m < M; ++m) {
    for (int p = 0; p < 2; ++p) {
      acc[m][p] =
          place.first ? _mm512_setzero_ps() : _mm512_load_ps(place.sums + (2 * m + p) * kPanelRows);
    }
  }
  Product::template add<M>(chunk, x, row, acc);
  if (place.last) return write_tile<M>(acc, place);
  for (int m = 0; m < M; ++m) {
    for (int p = 0; p < 2; ++p) _mm512_store_ps(place.sums + (2 * m + p) * kPanelRows, acc[m][p]);
  }
}

// Rows [begin, end) with a chunk, in tiles whose sizes differ by at most one.
template <class Product>
inline void all_tiles(const Chunk& chunk, const InputRows& x, int begin, int end, Place place) {
  const int n_rows = end - begin;
  Chunk share = chunk;
  const int n_tiles =
      n_rows <= Product::kMaxRows ? 1 : (n_rows + Product::kUsualRows - 1) / Product::kUsualRows;
  float* const sums = place.sums;
  float* const y = place.y;
  for (int tile = 0; tile < n_tiles; ++tile) {
    const int from = n_rows * tile / n_tiles;
    const int to = n_rows * (tile + 1) / n_tiles;
    place.sums = sums + from * 2 * kPanelRows;
    place.y = y + static_cast<size_t>(begin + from) * place.stride;
    share.asking = chunk.asked * static_cast<size_t>(tile) / static_cast<size_t>(n_tiles);
    share.asked = chunk.asked * static_cast<size_t>(tile + 1) / static_cast<size_t>(n_tiles);
    one_tile<Product, Product::kMaxRows>(share, x, begin + from, to - from, place);
  }
}

// `prepare(chunk)` turns a chunk of the matrix into one that Product reads.
template <class Product, class Prepare>
inline void all_panels(const Panels& w, int first, int last, const InputRows& x,
                       const OutputRows& out, Prepare prepare) {
  alignas(64) float sums[kRowsAtOnce * 2 * kPanelRows];
  const size_t pair_bytes = kPairBytes[static_cast<int>(w.format)];
  const auto n_groups = static_cast<size_t>(w.n_groups);
  constexpr size_t kChunkGroups = kChunkBytes / kPairBytes[static_cast<int>(Product::kFormat)];
  for (int pair = first / 2; 2 * pair < last; ++pair) {
    const size_t pair_groups = static_cast<size_t>(pair) * n_groups;
    const int outputs = out.epilogue == Epilogue::swiglu ? 1 : 2;
    Place place = {};
    place.sums = sums;
    place.y = out.y + (pair * outputs - first * outputs / 2) * kPanelRows;
    place.stride = out.stride;
    place.epilogue = out.epilogue;
    place.begin = first > 2 * pair ? 1 : 0;
    place.end = last < 2 * pair + 2 ? 1 : 2;
    for (int begin = 0; begin < x.n_rows; begin += kRowsAtOnce) {
      const int end = x.n_rows - begin < kRowsAtOnce ? x.n_rows : begin + kRowsAtOnce;
      for (size_t group = 0; group < n_groups; group += kChunkGroups) {
        const size_t left = n_groups - group;
        place.first = group == 0;
        place.last = left <= kChunkGroups;
        const size_t n = place.last ? left : kChunkGroups;
        const Chunk chunk = {
            w.groups + (pair_groups + group) * pair_bytes,    group, n,
            x.n_rows <= Product::kWaitingRows ? kNear : kFar, 0,     begin == 0 ? n : 0};
        all_tiles<Product>(prepare(chunk), x, begin, end, place);
      }
    }
  }
}

template <class Product>
inline void all_panels(const Panels& w, int first, int last, const InputRows& x,
                       const OutputRows& out) {
  all_panels<Product>(w, first, last, x, out, [](const Chunk& chunk) { return chunk; });
}

}  // namespace
}  // namespace hymt::cpu
