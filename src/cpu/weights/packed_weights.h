// A model's weights, packed. Immutable after packing.
#pragma once

#include <memory>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "cpu/buffer.h"
#include "cpu/weights/packed_matrix.h"
#include "model/model.h"

namespace hymt::cpu {

struct PackedLayer {
  Buffer<float> attn_norm;  // [d_model]
  PackedMatrix qkv;         // q, k and v stacked, each from a multiple of 16 columns on
  Buffer<float> q_norm;     // [d_head]
  Buffer<float> k_norm;     // [d_head]
  PackedMatrix o;           // [d_model, n_heads * d_head]
  Buffer<float> ffn_norm;   // [d_model]
  PackedMatrix gate_up;     // gate and up [d_ff, d_model], interleaved
  PackedMatrix down;        // [d_model, d_ff]
};

struct PackedWeights {
  PackedMatrix embedding;           // [n_vocab, d_model]: row look-ups, and the output when tied
  std::vector<PackedLayer> layers;  // [n_layers]
  Buffer<float> output_norm;        // [d_model]
  std::unique_ptr<PackedMatrix> untied;  // [n_vocab, d_model], null when tied

  const PackedPanels& output() const { return (untied ? *untied : embedding).parts[0]; }
  size_t bytes() const;
};

Result<PackedWeights> pack_weights(const model::Model& model, ThreadPool& pool);

}  // namespace hymt::cpu
