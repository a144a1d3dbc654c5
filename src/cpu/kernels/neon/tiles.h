// How a product is cut into register tiles of M input rows and P panels, and what becomes of a
// tile's sums. Internal linkage throughout, see panels.h.
//
// A Product has
//   kGroupBytes, kMaxRows             of a group of its panels, of its largest tile
//   add_to<M, P>(acc, source, x, row) adds the products of P panels with M rows from `row` on,
//                                     always inline, lest acc be kept in memory
// and adds an output's terms in one order, whatever M and P: a row must not notice its tile. P is 2
// for a single row, so that none of its additions waits for the last one, and else 1, so that all
// sums stay in registers.
#pragma once

#include "cpu/kernels/kernels.h"
#include "cpu/kernels/neon/lanes.h"

#include "cpu/kernels/lanes/math.h"

namespace hymt::cpu {
namespace {

// P consecutive panels of a matrix.
template <int P>
struct Source {
  const uint8_t* weights[P];
  const uint16_t* scales[P];
  size_t n_groups;
};

template <class Product, int P>
inline Source<P> source_of(const Panels& w, int panel) {
  Source<P> source;
  source.n_groups = static_cast<size_t>(w.n_groups);
  for (int p = 0; p < P; ++p) {
    const size_t group = static_cast<size_t>(panel + p) * source.n_groups;
    source.weights[p] = w.weights + group * Product::kGroupBytes;
    source.scales[p] = w.scales + group * kPanelRows;
  }
  return source;
}

template <class Product, int M, int P>
inline void tile_sums(const Source<P>& source, const InputRows& x, int row, Lanes (&sums)[M][P]) {
  constexpr int kTogether = M == 1 ? P : 1;
  for (int first = 0; first < P; first += kTogether) {
    Source<kTogether> part;
    part.n_groups = source.n_groups;
    for (int p = 0; p < kTogether; ++p) {
      part.weights[p] = source.weights[first + p];
      part.scales[p] = source.scales[first + p];
    }
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

// Pairs of panels, then the one that may be left.
template <class Product>
inline void all_panels(const Panels& w, int first, int last, const InputRows& x,
                       const OutputRows& out) {
  const int per_pair = out.epilogue == Epilogue::swiglu ? 1 : 2;
  float* y = out.y;
  int panel = first;
  for (; panel + 2 <= last; panel += 2, y += per_pair * kPanelRows) {
    all_rows<Product>(source_of<Product, 2>(w, panel), x, out, y);
  }
  if (panel < last) all_rows<Product>(source_of<Product, 1>(w, panel), x, out, y);
}

}  // namespace
}  // namespace hymt::cpu
