// The forward pass: what a step computes, in the order of the model.
#pragma once

#include <functional>
#include <span>

#include "base/result.h"
#include "base/thread_pool.h"
#include "cpu/graph/activations.h"
#include "cpu/graph/answers.h"
#include "cpu/graph/operations.h"
#include "cpu/graph/plan.h"
#include "cpu/kernels/kernels.h"
#include "cpu/kv_cache.h"
#include "cpu/weights/packed_weights.h"
#include "model/batch.h"
#include "model/runner.h"

namespace hymt::cpu {

// For tests: sees intermediate values, `n_rows` rows of `n_columns`, `stride` floats apart.
struct TracedValue {
  const char* name;
  int layer;
  const float* data;
  int n_rows;
  int n_columns;
  size_t stride;
};
using Trace = std::function<void(const TracedValue&)>;

class Forward {
 public:
  // All of it must outlive the Forward.
  struct Parts {
    const model::Config& config;
    const model::Limits& limits;
    const PackedWeights& weights;
    const Kernels& kernels;
    ThreadPool& pool;
    KvCache& kv;
    Activations& activations;
    Answers& answers;
    Profile* profile = nullptr;  // null: nothing is measured
  };
  explicit Forward(const Parts& parts);

  Result<std::span<const model::Answer>> run(const model::Batch& batch);

  // Called on the running thread between operations.
  void set_trace(Trace trace) { trace_ = std::move(trace); }

 private:
  void run_layer(const model::Batch& batch, int layer);
  void trace(const char* name, int layer, const float* data, int n_columns, size_t stride) const;

  Parts parts_;
  Plan plan_;
  Operations do_;
  Trace trace_;
};

}  // namespace hymt::cpu
