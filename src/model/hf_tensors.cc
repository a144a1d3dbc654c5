#include "model/hf_tensors.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace hymt::model {
namespace {

using Names = std::pair<std::string_view, std::string_view>;

constexpr std::array<Names, 3> kWhole = {{{"model.embed_tokens.weight", "token_embd.weight"},
                                          {"model.norm.weight", "output_norm.weight"},
                                          {"lm_head.weight", "output.weight"}}};

constexpr std::string_view kLayers = "model.layers.";
constexpr std::array<Names, 11> kInLayer = {{{"input_layernorm", "attn_norm"},
                                             {"self_attn.q_proj", "attn_q"},
                                             {"self_attn.k_proj", "attn_k"},
                                             {"self_attn.v_proj", "attn_v"},
                                             {"self_attn.o_proj", "attn_output"},
                                             {"self_attn.query_layernorm", "attn_q_norm"},
                                             {"self_attn.key_layernorm", "attn_k_norm"},
                                             {"post_attention_layernorm", "ffn_norm"},
                                             {"mlp.gate_proj", "ffn_gate"},
                                             {"mlp.up_proj", "ffn_up"},
                                             {"mlp.down_proj", "ffn_down"}}};

}  // namespace

std::string gguf_tensor_name(const std::string& name) {
  for (const auto& [theirs, ours] : kWhole) {
    if (name == theirs) return std::string(ours);
  }
  if (!name.starts_with(kLayers)) return name;
  const size_t dot = name.find('.', kLayers.size());
  if (dot == std::string::npos) return name;
  const std::string layer = name.substr(kLayers.size(), dot - kLayers.size());
  const std::string_view role = std::string_view(name).substr(dot + 1);
  for (const auto& [theirs, ours] : kInLayer) {
    if (role == std::string(theirs) + ".weight") {
      return "blk." + layer + "." + std::string(ours) + ".weight";
    }
  }
  return name;
}

void translate_tensors(checkpoint::Checkpoint& checkpoint, bool tied) {
  std::erase_if(checkpoint.tensors, [&](const checkpoint::Tensor& tensor) {
    return tensor.name.ends_with("rotary_emb.inv_freq") ||
           (tied && tensor.name == "lm_head.weight");
  });
  for (auto& tensor : checkpoint.tensors) tensor.name = gguf_tensor_name(tensor.name);
}

}  // namespace hymt::model
