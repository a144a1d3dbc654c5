// The tensors of a model by role, shapes checked. Runners pack from these; nothing is copied.
#pragma once

#include <vector>

#include "base/result.h"
#include "checkpoint/checkpoint.h"
#include "model/config.h"

namespace hymt::model {

using checkpoint::Tensor;

struct LayerWeights {
  const Tensor* attn_norm;  // [d_model]
  const Tensor* q;          // [n_heads * d_head, d_model]
  const Tensor* k;          // [n_kv_heads * d_head, d_model]
  const Tensor* v;          // [n_kv_heads * d_head, d_model]
  const Tensor* o;          // [d_model, n_heads * d_head]
  const Tensor* q_norm;     // [d_head]
  const Tensor* k_norm;     // [d_head]
  const Tensor* ffn_norm;   // [d_model]
  const Tensor* gate;       // [d_ff, d_model]
  const Tensor* up;         // [d_ff, d_model]
  const Tensor* down;       // [d_model, d_ff]
};

struct Weights {
  const Tensor* embedding;    // [n_vocab, d_model]
  const Tensor* output_norm;  // [d_model]
  const Tensor* output;       // [n_vocab, d_model]; the embedding itself when tied
  std::vector<LayerWeights> layers;
};

// A missing tensor, a wrong shape, or a tensor that the graph does not know is an error naming
// file, tensor and shape.
Result<Weights> find_weights(const checkpoint::Checkpoint& checkpoint, const Config& config);

}  // namespace hymt::model
