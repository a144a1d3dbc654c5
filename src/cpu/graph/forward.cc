// The graph of Hunyuan's dense models: a pre-norm block with grouped-query attention and SwiGLU,
// whose one peculiarity is that q and k are rotated first and normed per head afterwards.
#include "cpu/graph/forward.h"

namespace hymt::cpu {

Forward::Forward(const Parts& parts)
    : parts_(parts),
      plan_(parts.limits.max_batch_tokens, parts.config),
      do_(parts_.config, parts_.kernels, parts_.pool, parts_.activations, plan_, parts_.kv,
          parts_.profile) {}

Result<std::span<const model::Answer>> Forward::run(const model::Batch& batch) {
  HYMT_TRY(plan_.set(batch, parts_.config, parts_.limits));
  const PackedWeights& w = parts_.weights;

  do_.look_up(w.embedding, batch.tokens);
  do_.find_rotations();
  for (int layer = 0; layer < parts_.config.n_layers; ++layer) run_layer(batch, layer);
  do_.norm(w.output_norm, w.untied ? *w.untied : w.embedding);
  return parts_.answers.compute(batch, plan_, parts_.kernels, parts_.pool, w.output(),
                                parts_.activations, parts_.profile);
}

void Forward::run_layer(const model::Batch& batch, int layer) {
  const model::Config& config = parts_.config;
  const PackedLayer& w = parts_.weights.layers[static_cast<size_t>(layer)];
  Activations& a = parts_.activations;
  float* residual = a.residual.data();
  float* q = a.qkv.data();
  float* k = q + a.k_column;
  float* v = q + a.v_column;

  do_.norm(w.attn_norm, w.qkv);
  do_.multiply(Part::qkv, w.qkv, q, a.qkv_stride, Epilogue::store);
  trace("q_projected", layer, q, config.d_query(), a.qkv_stride);
  trace("k_projected", layer, k, config.d_kv(), a.qkv_stride);
  trace("v_projected", layer, v, config.d_kv(), a.qkv_stride);

  do_.rotate_norm_and_store(layer, w);
  trace("q", layer, q, config.d_query(), a.qkv_stride);
  trace("k", layer, k, config.d_kv(), a.qkv_stride);
  if (layer + 1 == config.n_layers) do_.keep_asking_rows(batch);

  do_.attend(layer);
  const auto d_query = static_cast<size_t>(config.d_query());
  trace("attended", layer, a.attended.data(), config.d_query(), d_query);
  do_.prepare(a.attended.data(), d_query, config.d_query(), w.o);
  do_.multiply(Part::o, w.o, residual, a.residual_stride, Epilogue::add);
  trace("after_attention", layer, residual, config.d_model, a.residual_stride);

  do_.norm(w.ffn_norm, w.gate_up);
  do_.multiply(Part::gate_up, w.gate_up, a.hidden.data(), a.hidden_stride, Epilogue::swiglu);
  trace("hidden", layer, a.hidden.data(), config.d_ff, a.hidden_stride);
  do_.prepare(a.hidden.data(), a.hidden_stride, config.d_ff, w.down);
  do_.multiply(Part::down, w.down, residual, a.residual_stride, Epilogue::add);
  trace("after_layer", layer, residual, config.d_model, a.residual_stride);
}

void Forward::trace(const char* name, int layer, const float* data, int n_columns,
                    size_t stride) const {
  if (trace_) trace_({name, layer, data, plan_.n_rows(), n_columns, stride});
}

}  // namespace hymt::cpu
