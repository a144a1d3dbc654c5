// How a product is cut into register tiles, and what becomes of a tile's sums. Internal linkage
// throughout, see panels.h.
//
// A register holds eight outputs; a vector of a pair of panels is four registers side by side. A
// tile is M input rows and R registers: both panels of a pair, or one of them where many rows need
// the registers.
//
// A Product has
//   kFormat                        what its weights look like
//   kMaxRows                       rows of its largest tile
//   Input                          the rows of a tile, in the form that it reads
//   prepare(x, row, n, scratch)    the Input of rows row.. row+n-1
//   add<M, R>(chunk, input, acc)   acc[m][r] += the chunk's products of register r's outputs with
//                                  row m
// and adds an output's terms in one order, whatever M, R and the chunk: a row must not notice its
// tile.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/avx2/lanes.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/lanes/math.h"

namespace hymt::cpu {
namespace {

// So many pairs of panels are multiplied by all rows before the next: their weights come from
// memory once, and what prepare() does pays for itself.
constexpr int kPairsAtOnce = 2;

// How far ahead of its turn a line is asked for, in bytes: far enough that it has come from memory
// by then. Only where a panel is taken alone: few rows wait for memory, and do best when the
// processor's own prefetchers set the pace; many keep these from seeing the stream.
constexpr size_t kAhead = 16384;

// A pair is read in chunks that stay in the first-level cache until its second panel was taken,
// too: memory then sees one stream, line by line.
constexpr size_t kChunkBytes = 8192;

// Consecutive groups of a tile's panels.
struct Chunk {
  const uint8_t* groups;   // at the first panel's part of the first group
  const uint16_t* scales;  // q4 and q8: at the first panel's
  size_t first_group;
  size_t n_groups;
  bool asking;  // for the lines kAhead
};

// Asks for a panel's lines. Into the second-level cache, which can wait for more lines at once than
// the first. Inlined by force: GCC drops calls of a function that does nothing else.
template <Format kFormat>
[[gnu::always_inline]] inline void prefetch(const uint8_t* group) {
  for (size_t line = 0; line < kPairBytes[static_cast<int>(kFormat)]; line += kVectorStride) {
    _mm_prefetch(reinterpret_cast<const char*>(group + line), _MM_HINT_T1);
  }
}

// sums: [M][2][16], of which a tile's R registers are added to. A function of its own: where it is
// inlined twice, GCC keeps some sums in memory. So it does with those of a caller, which the
// weights' bytes might alias.
template <class Product, int M, int R>
[[gnu::noinline]] void add_chunk(const Chunk& chunk, const typename Product::Input& input,
                                 float* sums) {
  __m256 acc[M][R];
  for (int m = 0; m < M; ++m) {
    for (int r = 0; r < R; ++r) acc[m][r] = _mm256_load_ps(sums + 2 * kPanelRows * m + 8 * r);
  }
  Product::template add<M, R>(chunk, input, acc);
  for (int m = 0; m < M; ++m) {
    for (int r = 0; r < R; ++r) _mm256_store_ps(sums + 2 * kPanelRows * m + 8 * r, acc[m][r]);
  }
}

// The panels [begin, end) of a pair; `y`: the tile's first row, at the pair's first output.
template <int M>
inline void write_tile(const float* sums, int begin, int end, const OutputRows& out, float* y) {
  for (int m = 0; m < M; ++m, sums += 2 * kPanelRows, y += out.stride) {
    if (out.epilogue == Epilogue::swiglu) {
      store(y, silu_of(load(sums)) * load(sums + kPanelRows));
      continue;
    }
    for (int p = begin; p < end; ++p) {
      const Lanes sum = load(sums + kPanelRows * p);
      float* at = y + kPanelRows * p;
      store(at, out.epilogue == Epilogue::add ? load(at) + sum : sum);
    }
  }
}

// One tile after the other for the panels [first, last): n rows, n <= M. `y`: its first row, at
// panel `first`. `asking`: see Chunk.
template <class Product, int M>
inline void one_tile(const Panels& w, int first, int last, const typename Product::Input& input,
                     int n, const OutputRows& out, float* y, bool asking) {
  if constexpr (M > 1) {
    if (n < M) return one_tile<Product, M - 1>(w, first, last, input, n, out, y, asking);
  }
  constexpr auto kFormat = static_cast<int>(Product::kFormat);
  constexpr bool kBoth = 2 * M <= Product::kMaxRows;
  const auto n_groups = static_cast<size_t>(w.n_groups);
  constexpr size_t kChunkGroups = kChunkBytes / kPairBytes[kFormat];
  for (int panel = first / 2 * 2; panel < last; panel += 2) {
    const int begin = first > panel ? 1 : 0;
    const int end = last < panel + 2 ? 1 : 2;
    const size_t pair = static_cast<size_t>(panel / 2) * n_groups;
    alignas(32) float sums[M * 2 * kPanelRows] = {};
    for (size_t group = 0; group < n_groups; group += kChunkGroups) {
      const size_t left = n_groups - group;
      const uint8_t* groups = w.groups + (pair + group) * kPairBytes[kFormat];
      const auto* scales = reinterpret_cast<const uint16_t*>(groups + kScalesAt[kFormat]);
      Chunk chunk = {groups, scales, group, left < kChunkGroups ? left : kChunkGroups, asking};
      if constexpr (kBoth) {
        add_chunk<Product, M, 4>(chunk, input, sums);
      } else {
        for (int p = begin; p < end; ++p) {
          chunk.groups = groups + 64 * p;
          chunk.scales = scales + kPanelRows * p;
          add_chunk<Product, M, 2>(chunk, input, sums + kPanelRows * p);
        }
      }
    }
    const int per_output = out.epilogue == Epilogue::swiglu ? 2 : 1;
    write_tile<M>(sums, begin, end, out, y + (panel - first) / per_output * kPanelRows);
  }
}

// All rows and panels, in tiles of sizes that differ by at most one.
template <class Product>
inline void all_tiles(const Panels& w, int first, int last, const InputRows& x,
                      const OutputRows& out, void* scratch) {
  const int n_tiles = (x.n_rows + Product::kMaxRows - 1) / Product::kMaxRows;
  const int per_output = out.epilogue == Epilogue::swiglu ? 2 : 1;
  for (int panel = first; panel < last;) {
    const int next = n_tiles == 1 ? last : (panel / 2 + kPairsAtOnce) * 2;
    const int end = next < last ? next : last;
    float* y = out.y + (panel - first) / per_output * kPanelRows;
    for (int tile = 0; tile < n_tiles; ++tile) {
      const int row = x.n_rows * tile / n_tiles;
      const int n = x.n_rows * (tile + 1) / n_tiles - row;
      const auto input = Product::prepare(x, row, n, scratch);
      one_tile<Product, Product::kMaxRows>(w, panel, end, input, n, out,
                                           y + static_cast<size_t>(row) * out.stride, tile == 0);
    }
    panel = end;
  }
}

}  // namespace
}  // namespace hymt::cpu
