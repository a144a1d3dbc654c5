#include "model/hf_config.h"

#include <nlohmann/json.hpp>
#include <optional>

#include "base/quote.h"
#include "model/config.h"

namespace hymt::model {
namespace {

using nlohmann::json;

constexpr const char* kClass = "HunYuanDenseV1ForCausalLM";
constexpr const char* kType = "hunyuan_v1_dense";

class Translator {
 public:
  Translator(const json& config, const std::string& source, checkpoint::Checkpoint& checkpoint)
      : config_(config), source_(source), metadata_(checkpoint.metadata) {}

  Result<void> translate() {
    if (!config_.is_object()) return fail(Code::invalid_argument, source_ + ": no JSON object");
    HYMT_TRY(check_architecture());
    HYMT_TRY(check_options());
    HYMT_TRY(translate_shape());
    HYMT_TRY(translate_rope());
    HYMT_TRY(translate_token_ids());
    return translate_hymt();
  }

 private:
  tl::unexpected<Error> refuse(const std::string& field, const std::string& what,
                               Code code = Code::invalid_argument) const {
    return fail(code, source_ + ": " + field + " " + what, field);
  }

  // The member, or null where it is absent or null.
  static const json* find(const json& object, const char* field) {
    if (!object.is_object()) return nullptr;
    const auto at = object.find(field);
    return at == object.end() || at->is_null() ? nullptr : &*at;
  }
  const json* find(const char* field) const { return find(config_, field); }

  static std::string shown(const json& value) {
    return value.is_string()
               ? in_quotes(value.get<std::string>())
               : in_quotes(value.dump(-1, ' ', false, json::error_handler_t::replace));
  }

  Result<void> check_architecture() const {
    const json* classes = find("architectures");
    const json* type = find("model_type");
    if (classes && classes->is_array() && !classes->empty()) {
      if (classes->front() == kClass) return {};
      return refuse("architectures", "is " + shown(classes->front()) + "; supported is " + kClass,
                    Code::unsupported);
    }
    if (type && *type == kType) return {};
    return refuse(
        "model_type",
        (type ? "is " + shown(*type) : std::string("is missing")) + "; supported is " + kType,
        Code::unsupported);
  }

  // What would need another graph, or weights in a form that the reader of tensors would take for
  // plain ones.
  Result<void> check_options() const {
    if (const json* quantised = find("quantization_config")) {
      const json* method = find(*quantised, "quant_method");
      return refuse("quantization_config",
                    "says that the weights are quantised (" +
                        (method ? shown(*method) : std::string("no quant_method")) +
                        "): use the unquantised checkpoint, which hymt can quantise, or a GGUF "
                        "file",
                    Code::unsupported);
    }
    for (const char* field : {"attention_bias", "mlp_bias"}) {
      const json* value = find(field);
      if (value && *value != false) return refuse(field, "is set", Code::unsupported);
    }
    if (const json* norm = find("use_qk_norm"); norm && *norm != true) {
      return refuse("use_qk_norm", "is not set", Code::unsupported);
    }
    if (const json* act = find("hidden_act"); act && *act != "silu") {
      return refuse("hidden_act", "is " + shown(*act) + "; supported is 'silu'", Code::unsupported);
    }
    return {};
  }

  Result<int64_t> integer(const char* field) const {
    const json* value = find(field);
    if (!value) return refuse(field, "is missing");
    if (!value->is_number_integer() || *value < 0 || *value > INT32_MAX) {
      return refuse(field, "is " + shown(*value) + ", no size");
    }
    return value->get<int64_t>();
  }

  Result<double> number(const json& object, const char* field) const {
    const json* value = find(object, field);
    if (!value) return refuse(field, "is missing");
    if (!value->is_number()) return refuse(field, "is " + shown(*value) + ", no number");
    return value->get<double>();
  }

  void set(const char* name, checkpoint::Value value) {
    metadata_[std::string("hunyuan-dense.") + name] = std::move(value);
  }

  Result<void> translate_shape() {
    metadata_["general.architecture"] = std::string("hunyuan-dense");
    set("context_length", HYMT_TRY(integer("max_position_embeddings")));
    set("block_count", HYMT_TRY(integer("num_hidden_layers")));
    set("feed_forward_length", HYMT_TRY(integer("intermediate_size")));
    set("vocab_size", HYMT_TRY(integer("vocab_size")));
    set("attention.layer_norm_rms_epsilon", HYMT_TRY(number(config_, "rms_norm_eps")));
    const int64_t d_model = HYMT_TRY(integer("hidden_size"));
    const int64_t n_heads = HYMT_TRY(integer("num_attention_heads"));
    if (n_heads == 0) return refuse("num_attention_heads", "is 0");
    set("embedding_length", d_model);
    set("attention.head_count", n_heads);
    int64_t n_kv_heads = n_heads;
    if (find("num_key_value_heads")) n_kv_heads = HYMT_TRY(integer("num_key_value_heads"));
    set("attention.head_count_kv", n_kv_heads);

    d_head_ = d_model / n_heads;
    for (const char* field : {"attention_head_dim", "head_dim"}) {
      if (find(field)) d_head_ = HYMT_TRY(integer(field));
    }
    if (d_head_ <= 2) return refuse("head_dim", "is " + std::to_string(d_head_) + ", too small");
    set("attention.key_length", d_head_);
    set("attention.value_length", d_head_);
    return {};
  }

  // The base is stored scaled by alpha and as a float32, as GGUF holds it: a model gives the same
  // bytes from its folder and from the file made of it.
  Result<void> translate_rope() {
    const json* newer = find("rope_parameters");
    const json* scaling = newer ? newer : find("rope_scaling");
    double theta = 10000;
    if (newer && find(*newer, "rope_theta")) {
      theta = HYMT_TRY(number(*newer, "rope_theta"));
    } else if (find("rope_theta")) {
      theta = HYMT_TRY(number(config_, "rope_theta"));
    }
    double alpha = 0;
    if (scaling) {
      for (const char* field : {"rope_type", "type"}) {
        const json* type = find(*scaling, field);
        if (type && *type != "dynamic" && *type != "default") {
          return refuse("rope_scaling", "is of type " + shown(*type) + "; supported is 'dynamic'",
                        Code::unsupported);
        }
      }
      if (find(*scaling, "alpha")) alpha = HYMT_TRY(number(*scaling, "alpha"));
    }
    if (alpha > 0) theta = scaled_rope_base(theta, alpha, static_cast<int>(d_head_));
    set("rope.freq_base", static_cast<double>(static_cast<float>(theta)));
    set("rope.scaling.type", std::string("none"));
    set("rope.scaling.factor", 1.0);
    return {};
  }

  Result<std::optional<int64_t>> token_id(const char* field, const json& value) const {
    if (value.is_null()) return std::nullopt;
    if (!value.is_number_integer()) return refuse(field, "is " + shown(value) + ", no token id");
    return value.get<int64_t>();
  }

  Result<void> translate_token_ids() {
    for (const auto& [field, key] :
         {std::pair{"bos_token_id", "tokenizer.ggml.bos_token_id"},
          std::pair{"pad_token_id", "tokenizer.ggml.padding_token_id"},
          std::pair{"sep_token_id", "tokenizer.ggml.seperator_token_id"}}) {
      const json* value = find(field);
      if (!value) continue;
      const auto id = HYMT_TRY(token_id(field, *value));
      if (id && *id >= 0) metadata_[key] = *id;
    }
    return {};
  }

  Result<void> translate_hymt() {
    const json* ours = find("hymt");
    if (!ours) return {};
    if (!ours->is_object()) return refuse("hymt", "is no object");
    if (const json* prompts = find(*ours, "prompts")) {
      if (!prompts->is_string()) return refuse("hymt.prompts", "is " + shown(*prompts));
      metadata_["hymt.prompts"] = prompts->get<std::string>();
    }
    if (const json* languages = find(*ours, "languages")) {
      std::vector<std::string> codes;
      for (const json& code : *languages) {
        if (!code.is_string()) return refuse("hymt.languages", "has " + shown(code));
        codes.push_back(code.get<std::string>());
      }
      if (!languages->is_array()) return refuse("hymt.languages", "is no list");
      metadata_["hymt.languages"] = std::move(codes);
    }
    return {};
  }

  const json& config_;
  const std::string& source_;
  std::map<std::string, checkpoint::Value>& metadata_;
  int64_t d_head_ = 0;
};

}  // namespace

Result<void> translate_config(const json& config, const std::string& source,
                              checkpoint::Checkpoint& checkpoint) {
  return Translator(config, source, checkpoint).translate();
}

}  // namespace hymt::model
