#include "cpu/weights/packed_weights.h"

#include "checkpoint/quantize.h"

namespace hymt::cpu {
namespace {

using checkpoint::Tensor;

Result<Buffer<float>> read_vector(const Tensor& tensor) {
  auto values =
      HYMT_TRY(Buffer<float>::allocate(static_cast<size_t>(tensor.columns()), tensor.name));
  dequantize_row(tensor.type, tensor.data.data(), tensor.columns(), values.data());
  return values;
}

Result<PackedMatrix> pack_one(const Tensor& tensor, Arena& arena, ThreadPool& pool) {
  const Tensor* const one[] = {&tensor};
  return pack_stacked(one, arena, pool);
}

Result<PackedLayer> pack_layer(const model::LayerWeights& from, Arena& arena, ThreadPool& pool) {
  PackedLayer layer;
  const Tensor* const qkv[] = {from.q, from.k, from.v};
  layer.attn_norm = HYMT_TRY(read_vector(*from.attn_norm));
  layer.qkv = HYMT_TRY(pack_stacked(qkv, arena, pool));
  layer.q_norm = HYMT_TRY(read_vector(*from.q_norm));
  layer.k_norm = HYMT_TRY(read_vector(*from.k_norm));
  layer.o = HYMT_TRY(pack_one(*from.o, arena, pool));
  layer.ffn_norm = HYMT_TRY(read_vector(*from.ffn_norm));
  layer.gate_up = HYMT_TRY(pack_interleaved(*from.gate, *from.up, arena, pool));
  layer.down = HYMT_TRY(pack_one(*from.down, arena, pool));
  return layer;
}

}  // namespace

Result<PackedWeights> pack_weights(const model::Model& model, ThreadPool& pool) {
  const model::Weights& from = model.weights;
  PackedWeights packed;
  Arena arena;
  packed.embedding = HYMT_TRY(pack_one(*from.embedding, arena, pool));
  for (const auto& layer : from.layers)
    packed.layers.push_back(HYMT_TRY(pack_layer(layer, arena, pool)));
  packed.output_norm = HYMT_TRY(read_vector(*from.output_norm));
  if (from.output != from.embedding) {
    packed.untied = std::make_unique<PackedMatrix>(HYMT_TRY(pack_one(*from.output, arena, pool)));
  }
  return packed;
}

size_t PackedWeights::bytes() const {
  size_t sum = embedding.bytes() + (untied ? untied->bytes() : 0);
  for (const auto& layer : layers) {
    sum += layer.qkv.bytes() + layer.o.bytes() + layer.gate_up.bytes() + layer.down.bytes();
  }
  return sum;
}

}  // namespace hymt::cpu
