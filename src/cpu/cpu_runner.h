// The CPU runner: packed weights, paged attention, kernels chosen once.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "cpu/profile.h"
#include "model/model.h"
#include "model/runner.h"

namespace hymt::cpu {

struct Options {
  std::string kernels = "auto";  // or a name of kernel_names()
  std::string kv_type = "f16";   // or "q8_0": what keys and values are kept as
  int n_blocks = 0;              // KV blocks
  int max_batch_tokens = 512;
  int max_batch_asks = 64;
  Profile* profile = nullptr;  // where to account for the passes' time; outlives the runner
  bool commit_memory =
      false;  // take the memory of KV blocks and logits now, not as it comes into use
};

// The kernel tables that this machine can run, best first ("avx512", "avx_vnni", "avx2", "scalar"; on
// 64-bit ARM "neon", "scalar").
std::vector<std::string> kernel_names();

// Bytes one KV block of this model takes. unsupported if there is no such type.
Result<size_t> kv_block_bytes(const model::Config& config, std::string_view kv_type);

// Packs the weights (in parallel on the pool) and allocates everything else. The pool must outlive
// the runner; the model's checkpoint may go afterwards. unsupported if the table is unknown or
// this machine cannot run it.
Result<std::unique_ptr<model::Runner>> make_runner(const model::Model& model,
                                                   const Options& options, ThreadPool& pool);

}  // namespace hymt::cpu
