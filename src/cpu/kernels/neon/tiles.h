// How a product is cut into register tiles of M input rows and P panels, and what becomes of a
// tile's sums. Internal linkage throughout, see panels.h.
//
// A Product has
//   kFormat, kMaxRows                 what its weights look like, rows of its largest tile
//   add_to<M, P>(acc, source, x, row) adds the products of P panels with M rows from `row` on,
//                                     always inline, lest acc be kept in memory
// and adds an output's terms in one order, whatever M and P: a row must not notice its tile. P is 2
// for a single row, so that a pair of panels is read as the one stream that it is and no addition
// waits for the last one, and else 1, so that all sums stay in registers.
#pragma once

#include "cpu/kernels/kernels.h"
#include "cpu/kernels/neon/lanes.h"

#include "cpu/kernels/lanes/math.h"

namespace hymt::cpu {
namespace {

constexpr size_t kVectorBytes = 64;  // of a panel; its neighbour's vector follows

// One panel of a pair, or both.
template <int P>
struct Source {
  const uint8_t* weights;  // of the first group; the second panel's are kVectorBytes further
  const uint16_t* scales;  // of the first group; the second panel's are kPanelRows further
  size_t n_groups;
};

// From `panel` on, which is the first of a pair if P is 2.
template <class Product, int P>
inline Source<P> source_of(const Panels& w, int panel) {
  constexpr auto kFormat = static_cast<size_t>(Product::kFormat);
  const auto n_groups = static_cast<size_t>(w.n_groups);
  const uint8_t* pair = w.groups + static_cast<size_t>(panel / 2) * n_groups * kPairBytes[kFormat];
  const auto odd = static_cast<size_t>(panel % 2);
  return {pair + odd * kVectorBytes,
          reinterpret_cast<const uint16_t*>(pair + kScalesAt[kFormat]) + odd * kPanelRows,
          n_groups};
}

template <class Product, int M, int P>
inline void tile_sums(const Source<P>& source, const InputRows& x, int row, Lanes (&sums)[M][P]) {
  constexpr int kTogether = M == 1 ? P : 1;
  for (int first = 0; first < P; first += kTogether) {
    const auto skipped = static_cast<size_t>(first);
    const Source<kTogether> part = {source.weights + skipped * kVectorBytes,
                                    source.scales + skipped * kPanelRows, source.n_groups};
    // A copy, and made by quarters: what is handed on as it is would be stored at every step.
    Lanes acc[M][kTogether];
    for (auto& of_row : acc) {
      for (Lanes& sum : of_row) sum = zero();
    }
    Product::template add_to<M, kTogether>(acc, part, x, row);
    for (int m = 0; m < M; ++m) {
      for (int p = 0; p < kTogether; ++p) {
        sums[m][first + p] = by_quarters([&](int i) { return acc[m][p].quarter[i]; });
      }
    }
  }
}

// y: row 0 of the tile, at the column of its first panel. A gate comes with the panel after it.
template <int M, int P>
inline void write_tile(const Lanes (&sums)[M][P], float* y, size_t stride, Epilogue epilogue) {
  for (int m = 0; m < M; ++m, y += stride) {
    if (epilogue == Epilogue::swiglu) {
      store(y, silu_of(sums[m][0]) * sums[m][P - 1]);
      continue;
    }
    for (int p = 0; p < P; ++p) {
      float* at = y + p * kPanelRows;
      store(at, epilogue == Epilogue::add ? load(at) + sums[m][p] : sums[m][p]);
    }
  }
}

// Rows [row, row + n), n <= M, as one tile.
template <class Product, int M, int P>
inline void one_tile(const Source<P>& source, const InputRows& x, int row, int n,
                     const OutputRows& out, float* y) {
  if constexpr (M > 1) {
    if (n < M) return one_tile<Product, M - 1, P>(source, x, row, n, out, y);
  }
  Lanes sums[M][P];
  tile_sums<Product>(source, x, row, sums);
  write_tile(sums, y + static_cast<size_t>(row) * out.stride, out.stride, out.epilogue);
}

// All rows, in tiles of sizes that differ by at most one.
template <class Product, int P>
inline void all_rows(const Source<P>& source, const InputRows& x, const OutputRows& out, float* y) {
  const int n_tiles = (x.n_rows + Product::kMaxRows - 1) / Product::kMaxRows;
  for (int tile = 0; tile < n_tiles; ++tile) {
    const int begin = x.n_rows * tile / n_tiles;
    const int end = x.n_rows * (tile + 1) / n_tiles;
    one_tile<Product, Product::kMaxRows, P>(source, x, begin, end - begin, out, y);
  }
}

// Pairs of panels, at either end perhaps one panel of a pair.
template <class Product>
inline void all_panels(const Panels& w, int first, int last, const InputRows& x,
                       const OutputRows& out) {
  const int per_pair = out.epilogue == Epilogue::swiglu ? 1 : 2;
  float* y = out.y;
  int panel = first;
  if (panel % 2 == 1 && panel < last) {
    all_rows<Product>(source_of<Product, 1>(w, panel), x, out, y);
    ++panel;
    y += kPanelRows;
  }
  for (; panel + 2 <= last; panel += 2, y += per_pair * kPanelRows) {
    all_rows<Product>(source_of<Product, 2>(w, panel), x, out, y);
  }
  if (panel < last) all_rows<Product>(source_of<Product, 1>(w, panel), x, out, y);
}

}  // namespace
}  // namespace hymt::cpu
