#include "model/weights.h"

#include <string>
#include <unordered_map>

#include "base/quote.h"

namespace hymt::model {
namespace {

using checkpoint::Checkpoint;

std::string shown(const std::vector<int64_t>& shape) {
  std::string out = "[";
  for (const int64_t size : shape) out += (out.size() > 1 ? ", " : "") + std::to_string(size);
  return out + "]";
}

// Gives out tensors by name and knows in the end which nobody asked for.
class Finder {
 public:
  explicit Finder(const Checkpoint& checkpoint) : checkpoint_(checkpoint) {
    for (const Tensor& tensor : checkpoint.tensors) left_.emplace(tensor.name, &tensor);
  }

  bool has(const std::string& name) const { return left_.contains(name); }

  Result<const Tensor*> take(const std::string& name, const std::vector<int64_t>& shape) {
    const auto at = left_.find(name);
    if (at == left_.end()) return refuse(name, "is missing");
    const Tensor* tensor = at->second;
    if (tensor->shape != shape) {
      return refuse(name, "has shape " + shown(tensor->shape) + ", not " + shown(shape));
    }
    left_.erase(at);
    return tensor;
  }

  // A tensor that the graph does not know (a bias, an adapter) would change the answers: better
  // refused than ignored.
  Result<void> expect_none_left() const {
    if (left_.empty()) return {};
    return refuse(left_.begin()->second->name, "is not part of this architecture",
                  Code::unsupported);
  }

 private:
  tl::unexpected<Error> refuse(const std::string& name, const std::string& what,
                               Code code = Code::invalid_argument) const {
    return fail(code, checkpoint_.path + ": tensor " + in_quotes(name) + " " + what, name);
  }

  const Checkpoint& checkpoint_;
  std::unordered_map<std::string_view, const Tensor*> left_;
};

Result<LayerWeights> find_layer(Finder& finder, const Config& config, int layer) {
  const int64_t d_model = config.d_model, d_query = config.d_query(), d_kv = config.d_kv();
  const int64_t d_head = config.d_head, d_ff = config.d_ff;
  const auto take = [&](const char* role, const std::vector<int64_t>& shape) {
    return finder.take("blk." + std::to_string(layer) + "." + role + ".weight", shape);
  };
  LayerWeights out{};
  out.attn_norm = HYMT_TRY(take("attn_norm", {d_model}));
  out.q = HYMT_TRY(take("attn_q", {d_query, d_model}));
  out.k = HYMT_TRY(take("attn_k", {d_kv, d_model}));
  out.v = HYMT_TRY(take("attn_v", {d_kv, d_model}));
  out.o = HYMT_TRY(take("attn_output", {d_model, d_query}));
  out.q_norm = HYMT_TRY(take("attn_q_norm", {d_head}));
  out.k_norm = HYMT_TRY(take("attn_k_norm", {d_head}));
  out.ffn_norm = HYMT_TRY(take("ffn_norm", {d_model}));
  out.gate = HYMT_TRY(take("ffn_gate", {d_ff, d_model}));
  out.up = HYMT_TRY(take("ffn_up", {d_ff, d_model}));
  out.down = HYMT_TRY(take("ffn_down", {d_model, d_ff}));
  return out;
}

}  // namespace

Result<Weights> find_weights(const Checkpoint& checkpoint, const Config& config) {
  Finder finder(checkpoint);
  const int64_t d_model = config.d_model, n_vocab = config.n_vocab;
  Weights out{};
  out.embedding = HYMT_TRY(finder.take("token_embd.weight", {n_vocab, d_model}));
  out.output_norm = HYMT_TRY(finder.take("output_norm.weight", {d_model}));
  out.output = out.embedding;
  if (finder.has("output.weight")) {
    out.output = HYMT_TRY(finder.take("output.weight", {n_vocab, d_model}));
  }
  for (int layer = 0; layer < config.n_layers; ++layer) {
    out.layers.push_back(HYMT_TRY(find_layer(finder, config, layer)));
  }
  HYMT_TRY(finder.expect_none_left());
  return out;
}

}  // namespace hymt::model
