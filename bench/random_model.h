// Models with random weights, in the shapes of the published ones or in any other: what a benchmark
// needs, and tests of odd shapes. Their answers mean nothing.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "base/thread_pool.h"
#include "checkpoint/dtype.h"
#include "model/config.h"
#include "tokenizer/vocabulary.h"

namespace hymt::bench {

struct RandomModel {
  model::Config config;
  bool tied = true;
  tokenizer::PreTokenizer pre = tokenizer::PreTokenizer::hunyuan;
  std::string prompts = "hunyuan-mt";  // the generation that the file claims
  std::string name = "random model";
};

// "demo", "hunyuan-mt-7b", "hy-mt1.5-1.8b"; nullopt for any other.
std::optional<RandomModel> random_model(std::string_view shape);

// Writes it as GGUF: matrices in `type` (in F16 where their rows are no multiple of its block),
// norms in F32 near 1. The same arguments give the same bytes, whatever the pool. Row by row: takes
// a few megabytes of memory whatever the size. Returns the file's size. invalid_argument for a
// shape that no model can have.
Result<uint64_t> write_random_model(
    const RandomModel& model, checkpoint::DType type, uint64_t seed, const std::string& path,
    ThreadPool& pool, const std::function<void(uint64_t done, uint64_t total)>& progress = {});

}  // namespace hymt::bench
