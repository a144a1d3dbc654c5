// The operations of the forward pass over all rows of a step: where work is shared out between
// threads and handed to the kernels. The order of operations is forward.cc's.
#pragma once

#include <atomic>

#include "base/thread_pool.h"
#include "cpu/graph/activations.h"
#include "cpu/graph/parallel.h"
#include "cpu/graph/plan.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kv_cache.h"
#include "cpu/profile.h"
#include "model/batch.h"

namespace hymt::cpu {

// Reads `plan` for the current rows; everything else it touches lies in `activations` and `kv`.
class Operations {
 public:
  Operations(const model::Config& config, const Kernels& kernels, ThreadPool& pool,
             Activations& activations, Plan& plan, KvCache& kv, Profile* profile);

  // residual = rows of the embedding
  void look_up(const PackedMatrix& embedding, std::span<const model::Token> tokens);
  // The cosines and sines of every row's position.
  void find_rotations();

  // input = rms_norm(residual), in the forms `reader` wants
  void norm(const Buffer<float>& weight, const PackedMatrix& reader);
  // input = x, in the forms `reader` wants
  void prepare(const float* x, size_t stride, int n_columns, const PackedMatrix& reader);
  // out = product of `matrix` and input, as the epilogue says
  void multiply(Part part, const PackedMatrix& matrix, float* out, size_t stride,
                Epilogue epilogue);

  // q and k: RoPE first, then the per-head norm; q is scaled for attention. K and V go into the
  // cache.
  void rotate_norm_and_store(int layer, const PackedLayer& weights);
  // Only rows that ask go on: the others have left their K and V, which is all they were for.
  void keep_asking_rows(const model::Batch& batch);
  void attend(int layer);

 private:
  const model::Config& config_;
  const Kernels& kernels_;
  ThreadPool& pool_;
  Activations& a_;
  Plan& plan_;
  KvCache& kv_;
  Profile* profile_;                 // null: nothing is measured
  std::vector<double> frequencies_;  // [d_head / 2]
  SharedRanges ranges_;
  std::atomic<int> next_{0};  // the tile of attention that nobody has taken yet
};

}  // namespace hymt::cpu
