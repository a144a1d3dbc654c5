// Matrices as the kernels read them (kernels/panels.h), made once from the checkpoint's tensors.
#pragma once

#include <span>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "checkpoint/checkpoint.h"
#include "cpu/arena.h"
#include "cpu/kernels/panels.h"

namespace hymt::cpu {

// Consecutive panels of one format.
class PackedPanels {
 public:
  // Where a panel's rows come from: 16 rows of `tensor` from `first_row` on, or as many as it has.
  struct Source {
    const checkpoint::Tensor* tensor;
    int64_t first_row;
  };

  // Packs in parallel. All sources have the same number of columns. The sources' type must be the
  // format's own for q4 and q8; bf16 and f32 take any type (bf16 only what it holds exactly).
  static Result<PackedPanels> pack(Format format, std::span<const Source> sources, Arena& arena,
                                   ThreadPool& pool);

  const Panels& panels() const { return panels_; }

  // The row as numbers [n_columns], exactly as the file defines them.
  void unpack_row(int row, float* out) const;

  size_t bytes() const { return bytes_; }

 private:
  Panels panels_ = {};
  std::shared_ptr<const uint8_t> groups_;
  size_t bytes_ = 0;
};

// One or more matrices that read the same input, stacked: their products lie side by side in the
// output, each starting at a multiple of 16 columns. Usually one part; matrices of different types
// (a file may store v finer than q) make several.
struct PackedMatrix {
  std::vector<PackedPanels> parts;
  int n_columns = 0;
  int n_outputs = 0;  // columns of the output: 16 * all panels

  size_t bytes() const;
};

// [a; b; ...] below one another.
Result<PackedMatrix> pack_stacked(std::span<const checkpoint::Tensor* const> tensors, Arena& arena,
                                  ThreadPool& pool);
// Panels of a and b in turn (gate and up): one pass gives both halves of each output. If
// their formats differ both are kept as plain numbers.
Result<PackedMatrix> pack_interleaved(const checkpoint::Tensor& a, const checkpoint::Tensor& b,
                                      Arena& arena, ThreadPool& pool);

// The format that keeps this tensor's values exactly: its own for block types; for plain types
// bf16 if it loses nothing, else f32.
Format format_for(const checkpoint::Tensor& tensor, ThreadPool& pool);

}  // namespace hymt::cpu
