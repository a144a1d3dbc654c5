// How a product is cut into register tiles of M input rows and P panels, and what becomes of a
// tile's sums. Internal linkage throughout, see panels.h.
//
// A Product has
//   kMaxRows                     rows of its largest tile
//   sums<M, P>(source, x, row, acc)  acc[m][p] = the products of P panels with rows row.. row+M-1
// and adds an output's terms in one order, whatever M and P: a row must not notice its tile.
#pragma once

#include <immintrin.h>

#include "cpu/kernels/avx512/lanes.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kernels/lanes/math.h"

namespace hymt::cpu {
namespace {

// P consecutive panels of a matrix.
template <int P>
struct Source {
  const uint8_t* weights[P];
  const uint16_t* scales[P];
  int n_groups;
};

template <int P>
inline Source<P> source_of(const Panels& w, int panel, size_t group_bytes) {
  Source<P> source;
  source.n_groups = w.n_groups;
  for (int p = 0; p < P; ++p) {
    const size_t group = static_cast<size_t>(panel + p) * static_cast<size_t>(w.n_groups);
    source.weights[p] = w.weights + group * group_bytes;
    source.scales[p] = w.scales + group * kPanelRows;
  }
  return source;
}

// y: row 0 of the tile, at the column of its first panel.
template <int M, int P>
inline void write_tile(const __m512 (&acc)[M][P], float* y, size_t stride, Epilogue epilogue) {
  for (int m = 0; m < M; ++m, y += stride) {
    if (epilogue == Epilogue::swiglu) {
      for (int p = 0; p + 1 < P; p += 2) {
        store(y + p / 2 * kPanelRows, silu_of({acc[m][p]}) * Lanes{acc[m][p + 1]});
      }
    } else {
      for (int p = 0; p < P; ++p) {
        const Lanes sum = {acc[m][p]};
        float* at = y + p * kPanelRows;
        store(at, epilogue == Epilogue::add ? load(at) + sum : sum);
      }
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
  __m512 acc[M][P];
  Product::template sums<M, P>(source, x, row, acc);
  write_tile<M, P>(acc, y + static_cast<size_t>(row) * out.stride, out.stride, out.epilogue);
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

// Where the output of `panel` goes, in row 0.
inline float* column_of(const OutputRows& out, int first, int panel) {
  const int per_output = out.epilogue == Epilogue::swiglu ? 2 : 1;
  return out.y + (panel - first) / per_output * kPanelRows;
}

// All panels straight from memory: pairs; for a single row, whose product waits for memory only,
// four at a time.
template <class Product>
inline void stream_panels(const Panels& w, int first, int last, const InputRows& x,
                          const OutputRows& out, size_t group_bytes) {
  int panel = first;
  if (x.n_rows == 1) {
    for (; panel + 4 <= last; panel += 4) {
      one_tile<Product, 1, 4>(source_of<4>(w, panel, group_bytes), x, 0, 1, out,
                              column_of(out, first, panel));
    }
  }
  for (; panel + 2 <= last; panel += 2) {
    all_rows<Product, 2>(source_of<2>(w, panel, group_bytes), x, out, column_of(out, first, panel));
  }
  if (panel < last) {
    all_rows<Product, 1>(source_of<1>(w, panel, group_bytes), x, out, column_of(out, first, panel));
  }
}

}  // namespace
}  // namespace hymt::cpu
