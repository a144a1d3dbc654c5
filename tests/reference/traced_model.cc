#include "reference/traced_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "checkpoint/gguf.h"
#include "cpu/kernels/dispatch.h"

namespace hymt::cpu::test {
namespace {

template <class T>
T value_of(Result<T> result) {
  if (!result) ADD_FAILURE() << result.error().message;
  return std::move(result).value();
}

}  // namespace

TracedValues trace_model(const std::string& gguf, const std::vector<tokenizer::Token>& tokens,
                         const std::string& kernel_name) {
  model::Model model;
  model.checkpoint =
      std::make_shared<checkpoint::Checkpoint>(value_of(checkpoint::read_gguf(gguf)));
  model.config = value_of(model::read_config(*model.checkpoint));
  model.weights = value_of(model::find_weights(*model.checkpoint, model.config));
  const model::Config& config = model.config;
  const auto n_tokens = static_cast<int>(tokens.size());
  model::Limits limits;
  limits.n_blocks = n_tokens / kBlockTokens + 1;
  limits.max_batch_tokens = limits.max_batch_asks = n_tokens;
  limits.max_top_k = 1;
  ThreadPool pool(1);
  const Kernels kernels = value_of(find_kernels(kernel_name));
  const PackedWeights weights = value_of(pack_weights(model, pool));
  KvCache kv = value_of(KvCache::allocate(config, KvType::f16, limits.n_blocks));
  Activations activations = value_of(Activations::allocate(config, weights, n_tokens, 1));
  Answers answers = value_of(Answers::allocate(config.n_vocab, limits, 1));
  Forward forward({config, limits, weights, kernels, pool, kv, activations, answers});

  TracedValues traced;
  const auto keep = [&](const std::string& name, const float* data, int columns, size_t stride,
                        float factor) {
    Values& values = traced[name];
    values = {n_tokens, columns, {}};
    for (size_t row = 0; row < tokens.size(); ++row) {
      for (int i = 0; i < columns; ++i) {
        values.numbers.push_back(data[row * stride + static_cast<size_t>(i)] * factor);
      }
    }
  };
  forward.set_trace([&](const TracedValue& value) {
    // Attention's q carries the scale of the scores.
    const bool scaled = std::string(value.name) == "q";
    keep(value.name + ("." + std::to_string(value.layer)), value.data, value.n_columns,
         value.stride, scaled ? std::sqrt(static_cast<float>(config.d_head)) : 1.0f);
  });
  std::vector<int32_t> blocks(static_cast<size_t>(limits.n_blocks));
  std::iota(blocks.begin(), blocks.end(), 0);
  model::Ask ask;
  ask.kind = model::Ask::Kind::logits;
  const std::vector<model::Ask> asks(tokens.size(), ask);
  const model::Slice slice{n_tokens, 0, blocks};
  const auto got = value_of(forward.run({tokens, asks, {&slice, 1}}));
  Values& logits = traced["logits.0"];
  logits = {n_tokens, config.n_vocab, {}};
  for (const auto& answer : got) {
    logits.numbers.insert(logits.numbers.end(), answer.logits.begin(), answer.logits.end());
  }
  keep("rotation.0", activations.rotation.data(), config.d_head, static_cast<size_t>(config.d_head),
       1.0f);
  return traced;
}

}  // namespace hymt::cpu::test
