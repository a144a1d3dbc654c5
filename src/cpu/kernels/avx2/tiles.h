// How a product is cut into register tiles of M input rows and one panel (two registers of eight
// outputs), and what becomes of a tile's sums. Internal linkage throughout, see panels.h.
//
// A Product has
//   kMaxRows                       rows of its largest tile
//   kGroupBytes                    of a panel's weights
//   Input                          the rows of a tile, in the form that it reads
//   prepare(x, row, n, scratch)    the Input of rows row.. row+n-1
//   sums<M>(weights, scales, n_groups, input, acc)  acc[m] = the panel's products with row m
// and adds an output's terms in one order, whatever M: a row must not notice its tile.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/avx2/lanes.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/lanes/math.h"

namespace hymt::cpu {
namespace {

// So many panels are multiplied by all rows before the next: their weights come from memory once,
// and what prepare() does pays for itself.
constexpr int kPanelsAtOnce = 4;

// Far enough ahead that a line has come from memory when its turn is there. Into the second-level
// cache, which can wait for more lines at once than the first.
inline void prefetch_ahead(const uint8_t* weights) {
  constexpr int kBytes = 16384;
  _mm_prefetch(reinterpret_cast<const char*>(weights + kBytes), _MM_HINT_T1);
}

// A function of its own: where it is inlined twice, GCC keeps some sums in memory. So it does with
// those of a caller, which the weights' bytes might alias.
template <class Product, int M>
[[gnu::noinline]] void panel_sums(const Panels& w, int panel, const typename Product::Input& input,
                                  Lanes (&acc)[M]) {
  const size_t group = static_cast<size_t>(panel) * static_cast<size_t>(w.n_groups);
  Lanes sums[M];
  Product::template sums<M>(w.weights + group * Product::kGroupBytes, w.scales + group * kPanelRows,
                            static_cast<size_t>(w.n_groups), input, sums);
  for (int m = 0; m < M; ++m) acc[m] = sums[m];
}

// One tile for the panels [first, last): n rows, n <= M. y: its first row, at panel `first`.
template <class Product, int M>
inline void one_tile(const Panels& w, int first, int last, const typename Product::Input& input,
                     int n, const OutputRows& out, float* y) {
  if constexpr (M > 1) {
    if (n < M) return one_tile<Product, M - 1>(w, first, last, input, n, out, y);
  }
  const int step = out.epilogue == Epilogue::swiglu ? 2 : 1;
  for (int panel = first; panel < last; panel += step, y += kPanelRows) {
    Lanes acc[M];
    panel_sums<Product, M>(w, panel, input, acc);
    if (out.epilogue == Epilogue::swiglu) {
      Lanes gate[M];
      for (int m = 0; m < M; ++m) gate[m] = silu_of(acc[m]);
      panel_sums<Product, M>(w, panel + 1, input, acc);
      for (int m = 0; m < M; ++m) acc[m] = gate[m] * acc[m];
    }
    for (int m = 0; m < M; ++m) {
      float* at = y + static_cast<size_t>(m) * out.stride;
      store(at, out.epilogue == Epilogue::add ? load(at) + acc[m] : acc[m]);
    }
  }
}

// All rows and panels, in tiles of sizes that differ by at most one.
template <class Product>
inline void all_tiles(const Panels& w, int first, int last, const InputRows& x,
                      const OutputRows& out, void* scratch) {
  const int n_tiles = (x.n_rows + Product::kMaxRows - 1) / Product::kMaxRows;
  const int n_panels = n_tiles == 1 ? last - first : kPanelsAtOnce;
  float* y = out.y;
  for (int panel = first; panel < last; panel += n_panels) {
    const int end = panel + n_panels < last ? panel + n_panels : last;
    for (int tile = 0; tile < n_tiles; ++tile) {
      const int row = x.n_rows * tile / n_tiles;
      const int n = x.n_rows * (tile + 1) / n_tiles - row;
      const auto input = Product::prepare(x, row, n, scratch);
      one_tile<Product, Product::kMaxRows>(w, panel, end, input, n, out,
                                           y + static_cast<size_t>(row) * out.stride);
    }
    y += n_panels / (out.epilogue == Epilogue::swiglu ? 2 : 1) * kPanelRows;
  }
}

}  // namespace
}  // namespace hymt::cpu
