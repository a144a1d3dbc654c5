// Random models of any shape, in memory: for tests that compute but translate nothing.
#pragma once

#include <cstdint>

#include "checkpoint/dtype.h"
#include "model/config.h"
#include "model/model.h"

namespace hymt::test {

struct RandomModel {
  model::Config config;
  checkpoint::DType type = checkpoint::DType::bf16;  // of the matrices; rows no multiple of its
                                                     // block are stored as F32
  bool tied = true;
  uint32_t seed = 1;
};

// Small shapes, each odd in its own way.
model::Config tiny_config();

// Weights drawn so that activations neither vanish nor explode: matrices ~ N(0, 1 / columns),
// norms around 1. The metadata is complete enough for write_gguf and another engine (without a
// tokenizer).
model::Model make_random_model(const RandomModel& recipe);

}  // namespace hymt::test
