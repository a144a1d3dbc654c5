#include "support/random_model.h"

#include <gtest/gtest.h>

#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "checkpoint/quantize.h"

namespace hymt::test {
namespace {

using checkpoint::DType;
using checkpoint::Tensor;

class Maker {
 public:
  Maker(checkpoint::Checkpoint& checkpoint, const RandomModel& recipe)
      : checkpoint_(checkpoint), recipe_(recipe), random_(recipe.seed) {}

  void vector(const std::string& name, int n) {
    std::vector<float> values(static_cast<size_t>(n));
    for (float& value : values) value = 1.0f + 0.2f * normal_(random_);
    add(name, DType::f32, {n}, values);
  }

  void matrix(const std::string& name, int rows, int columns) {
    const bool whole = columns % checkpoint::block_shape(recipe_.type).elements == 0;
    std::vector<float> values(static_cast<size_t>(rows) * static_cast<size_t>(columns));
    const float scale = 1.0f / std::sqrt(static_cast<float>(columns));
    for (float& value : values) value = scale * normal_(random_);
    add(name, whole ? recipe_.type : DType::f32, {rows, columns}, values);
  }

 private:
  void add(const std::string& name, DType type, std::vector<int64_t> shape,
           const std::vector<float>& values) {
    const int64_t columns = shape.back();
    const size_t rows = values.size() / static_cast<size_t>(columns);
    const size_t row_bytes = checkpoint::row_bytes(type, columns);
    auto bytes = std::make_shared<std::vector<std::byte>>(rows * row_bytes);
    for (size_t row = 0; row < rows; ++row) {
      checkpoint::quantize_row(type, values.data() + row * static_cast<size_t>(columns), columns,
                               bytes->data() + row * row_bytes);
    }
    checkpoint_.tensors.push_back({name, type, std::move(shape), *bytes});
    checkpoint_.owners.push_back(bytes);
  }

  checkpoint::Checkpoint& checkpoint_;
  const RandomModel& recipe_;
  std::mt19937 random_;
  std::normal_distribution<float> normal_;
};

void describe(checkpoint::Checkpoint& checkpoint, const model::Config& config) {
  const std::string arch = "hunyuan-dense";
  auto& m = checkpoint.metadata;
  m["general.architecture"] = arch;
  m[arch + ".context_length"] = int64_t(config.n_context);
  m[arch + ".embedding_length"] = int64_t(config.d_model);
  m[arch + ".block_count"] = int64_t(config.n_layers);
  m[arch + ".feed_forward_length"] = int64_t(config.d_ff);
  m[arch + ".attention.head_count"] = int64_t(config.n_heads);
  m[arch + ".attention.head_count_kv"] = int64_t(config.n_kv_heads);
  m[arch + ".attention.key_length"] = int64_t(config.d_head);
  m[arch + ".attention.value_length"] = int64_t(config.d_head);
  m[arch + ".attention.layer_norm_rms_epsilon"] = double(config.rms_epsilon);
  m[arch + ".rope.freq_base"] = config.rope_base;
  m[arch + ".vocab_size"] = int64_t(config.n_vocab);
}

}  // namespace

model::Config tiny_config() {
  model::Config config;
  config.n_layers = 3;
  config.d_model = 64;
  config.n_heads = 4;
  config.n_kv_heads = 2;
  config.d_head = 32;
  config.d_ff = 160;
  config.n_vocab = 1003;
  config.n_context = 512;
  config.rope_base = model::scaled_rope_base(10000, 1000, config.d_head);
  config.rms_epsilon = 1e-5f;
  return config;
}

model::Model make_random_model(const RandomModel& recipe) {
  const model::Config& c = recipe.config;
  auto checkpoint = std::make_shared<checkpoint::Checkpoint>();
  checkpoint->path = "a random model";
  describe(*checkpoint, c);
  Maker make(*checkpoint, recipe);
  make.matrix("token_embd.weight", c.n_vocab, c.d_model);
  for (int layer = 0; layer < c.n_layers; ++layer) {
    const auto name = [&](const char* role) {
      return "blk." + std::to_string(layer) + "." + role + ".weight";
    };
    make.vector(name("attn_norm"), c.d_model);
    make.matrix(name("attn_q"), c.d_query(), c.d_model);
    make.matrix(name("attn_k"), c.d_kv(), c.d_model);
    make.matrix(name("attn_v"), c.d_kv(), c.d_model);
    make.matrix(name("attn_output"), c.d_model, c.d_query());
    make.vector(name("attn_q_norm"), c.d_head);
    make.vector(name("attn_k_norm"), c.d_head);
    make.vector(name("ffn_norm"), c.d_model);
    make.matrix(name("ffn_gate"), c.d_ff, c.d_model);
    make.matrix(name("ffn_up"), c.d_ff, c.d_model);
    make.matrix(name("ffn_down"), c.d_model, c.d_ff);
  }
  make.vector("output_norm.weight", c.d_model);
  if (!recipe.tied) make.matrix("output.weight", c.n_vocab, c.d_model);

  model::Model model;
  model.config = c;
  auto weights = model::find_weights(*checkpoint, c);
  if (!weights) ADD_FAILURE() << weights.error().message;
  model.weights = std::move(weights).value();
  model.checkpoint = std::move(checkpoint);
  return model;
}

}  // namespace hymt::test
