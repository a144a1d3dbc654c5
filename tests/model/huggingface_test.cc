#include "model/huggingface.h"

#include <gmock/gmock.h>

#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "checkpoint/gguf.h"
#include "checkpoint/quantize.h"
#include "model/hf_tensors.h"
#include "model/model.h"
#include "support/shared_data.h"
#include "support/temp_folder.h"

namespace hymt::model {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

std::vector<float> values_of(const checkpoint::Tensor& tensor) {
  std::vector<float> out(static_cast<size_t>(tensor.rows() * tensor.columns()));
  for (int64_t row = 0; row < tensor.rows(); ++row) {
    checkpoint::dequantize_row(
        tensor.type,
        tensor.data.data() + static_cast<size_t>(row) * row_bytes(tensor.type, tensor.columns()),
        tensor.columns(), out.data() + row * tensor.columns());
  }
  return out;
}

std::vector<float> rounded_to(checkpoint::DType type, std::vector<float> values) {
  EXPECT_EQ(type, checkpoint::DType::bf16);
  for (float& value : values) value = checkpoint::bf16_to_f32(checkpoint::f32_to_bf16(value));
  return values;
}

Result<Model> load_path(const std::string& path) {
  auto checkpoint = HYMT_TRY(open_checkpoint(path));
  return load(std::move(checkpoint));
}

// The demo model was written as a folder and as a GGUF file by its own exporter. The norms are
// F32 in the file and rounded to BF16 in the folder.
TEST(HuggingFace, TheFolderAndTheGgufOfOneModelAreEqual) {
  HYMT_SHARED_OR_SKIP(shared, "data/demo-model");
  const auto folder = load_path(shared + "/hf");
  const auto file = load_path(shared + "/demo-bf16.gguf");
  ASSERT_TRUE(folder) << folder.error().message;
  ASSERT_TRUE(file) << file.error().message;

  const Config &a = folder->config, &b = file->config;
  EXPECT_EQ(a.n_layers, b.n_layers);
  EXPECT_EQ(a.d_model, b.d_model);
  EXPECT_EQ(a.n_heads, b.n_heads);
  EXPECT_EQ(a.n_kv_heads, b.n_kv_heads);
  EXPECT_EQ(a.d_head, b.d_head);
  EXPECT_EQ(a.d_ff, b.d_ff);
  EXPECT_EQ(a.n_vocab, b.n_vocab);
  EXPECT_EQ(a.n_context, b.n_context);
  EXPECT_EQ(a.rope_base, b.rope_base);
  EXPECT_EQ(a.rms_epsilon, b.rms_epsilon);

  EXPECT_EQ(folder->vocabulary.pre, file->vocabulary.pre);
  EXPECT_EQ(folder->vocabulary.tokens, file->vocabulary.tokens);
  EXPECT_EQ(folder->vocabulary.kinds, file->vocabulary.kinds);
  EXPECT_EQ(folder->vocabulary.merges, file->vocabulary.merges);

  EXPECT_EQ(folder->card.generation, file->card.generation);
  EXPECT_EQ(folder->card.chat.bos, file->card.chat.bos);
  EXPECT_EQ(folder->card.chat.system_end, file->card.chat.system_end);
  EXPECT_EQ(folder->card.chat.user_start, file->card.chat.user_start);
  EXPECT_EQ(folder->card.chat.user_end, file->card.chat.user_end);
  EXPECT_EQ(folder->card.stop_ids, file->card.stop_ids);
  EXPECT_EQ(folder->card.languages, file->card.languages);
  EXPECT_EQ(folder->card.reasons, file->card.reasons);

  ASSERT_EQ(folder->checkpoint->tensors.size(), file->checkpoint->tensors.size());
  for (const checkpoint::Tensor& tensor : file->checkpoint->tensors) {
    const checkpoint::Tensor* other = folder->checkpoint->find(tensor.name);
    ASSERT_TRUE(other) << tensor.name;
    EXPECT_EQ(other->shape, tensor.shape) << tensor.name;
    EXPECT_EQ(values_of(*other), rounded_to(other->type, values_of(tensor))) << tensor.name;
  }
}

TEST(HuggingFace, AFolderWrittenAsGgufIsTheSameModel) {
  HYMT_SHARED_OR_SKIP(shared, "data/demo-model/hf");
  const test::TempFolder temp;
  const auto checkpoint = open_checkpoint(shared);
  ASSERT_TRUE(checkpoint) << checkpoint.error().message;
  ASSERT_TRUE(checkpoint::write_gguf(*checkpoint, temp / "m.gguf"));
  const auto folder = load_path(shared);
  const auto file = load_path(temp / "m.gguf");
  ASSERT_TRUE(file) << file.error().message;
  EXPECT_EQ(file->config.rope_base, folder->config.rope_base);
  EXPECT_EQ(file->vocabulary.tokens, folder->vocabulary.tokens);
  EXPECT_EQ(file->vocabulary.merges, folder->vocabulary.merges);
  EXPECT_EQ(file->card.name, "hf");
  EXPECT_EQ(file->card.reasons, folder->card.reasons);
}

TEST(HuggingFace, NamesOfTensors) {
  EXPECT_EQ(gguf_tensor_name("model.embed_tokens.weight"), "token_embd.weight");
  EXPECT_EQ(gguf_tensor_name("lm_head.weight"), "output.weight");
  EXPECT_EQ(gguf_tensor_name("model.layers.31.self_attn.query_layernorm.weight"),
            "blk.31.attn_q_norm.weight");
  EXPECT_EQ(gguf_tensor_name("model.layers.0.post_attention_layernorm.weight"),
            "blk.0.ffn_norm.weight");
  for (const char* other : {"model.layers.0.self_attn.q_proj.bias", "model.layers.", "x",
                            "model.layers.0", "model.layers.0.mlp.gate_proj.weight.x"}) {
    EXPECT_EQ(gguf_tensor_name(other), other);
  }
}

// A folder with a model of one layer and bytes for tokens; tests change its files.
struct TinyFolder {
  test::TempFolder folder;
  json config = {{"architectures", {"HunYuanDenseV1ForCausalLM"}},
                 {"model_type", "hunyuan_v1_dense"},
                 {"hidden_size", 8},
                 {"intermediate_size", 12},
                 {"num_hidden_layers", 1},
                 {"num_attention_heads", 2},
                 {"num_key_value_heads", 1},
                 {"head_dim", 6},
                 {"max_position_embeddings", 64},
                 {"rms_norm_eps", 1e-5},
                 {"rope_theta", 10000.0},
                 {"rope_scaling", {{"type", "dynamic"}, {"alpha", 1000.0}, {"factor", 1.0}}},
                 {"tie_word_embeddings", true},
                 {"vocab_size", 480},
                 {"bos_token_id", 1},
                 {"eos_token_id", 259}};
  std::vector<std::pair<std::string, std::vector<int>>> tensors = {
      {"model.embed_tokens.weight", {480, 8}},
      {"model.norm.weight", {8}},
      {"model.layers.0.input_layernorm.weight", {8}},
      {"model.layers.0.post_attention_layernorm.weight", {8}},
      {"model.layers.0.self_attn.q_proj.weight", {12, 8}},
      {"model.layers.0.self_attn.k_proj.weight", {6, 8}},
      {"model.layers.0.self_attn.v_proj.weight", {6, 8}},
      {"model.layers.0.self_attn.o_proj.weight", {8, 12}},
      {"model.layers.0.self_attn.query_layernorm.weight", {6}},
      {"model.layers.0.self_attn.key_layernorm.weight", {6}},
      {"model.layers.0.mlp.gate_proj.weight", {12, 8}},
      {"model.layers.0.mlp.up_proj.weight", {12, 8}},
      {"model.layers.0.mlp.down_proj.weight", {8, 12}}};

  TinyFolder() { write("hy.tiktoken", tiktoken()); }

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
  }

  // The 256 bytes and "  ": with the special tokens behind them, 467 tokens.
  static std::string tiktoken() {
    const char* digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    std::string out;
    for (int byte = 0; byte < 256; ++byte) {
      out += {digits[byte >> 2], digits[(byte & 3) << 4], '=', '='};
      out += " " + std::to_string(byte) + "\n";
    }
    return out + "ICA= 256\n";
  }

  Result<Model> load() const {
    write("config.json", config.dump());
    json header;
    uint64_t at = 0;
    for (const auto& [name, shape] : tensors) {
      uint64_t bytes = 4;
      for (const int one : shape) bytes *= static_cast<uint64_t>(one);
      header[name] = {{"dtype", "F32"}, {"shape", shape}, {"data_offsets", {at, at + bytes}}};
      at += bytes;
    }
    const std::string text = header.dump();
    const uint64_t size = text.size();
    write("model.safetensors", std::string(reinterpret_cast<const char*>(&size), sizeof size) +
                                   text + std::string(at, '\0'));
    return load_path(folder.path());
  }

  Error error() const {
    const auto model = load();
    EXPECT_FALSE(model);
    return model ? Error() : model.error();
  }
};

TEST(HuggingFace, ReadsRanksAndPutsPublishedMistakesRight) {
  const TinyFolder tiny;
  const auto model = tiny.load();
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_TRUE(model->vocabulary.merges.empty()) << "ranks";
  EXPECT_EQ(model->vocabulary.tokens.size(), 480u) << "as many as rows";
  EXPECT_THAT(model->card.chat.bos, ElementsAre(258)) << "not the config's 1";
  EXPECT_THAT(model->card.stop_ids, ElementsAre(260, 257, 267, 259));
  EXPECT_EQ(std::get<int64_t>(model->checkpoint->metadata.at("tokenizer.ggml.bos_token_id")), 258);
  // 10000 * 1000^(6/4), as a float.
  EXPECT_EQ(model->config.rope_base, static_cast<double>(316227766.0f));
}

TEST(HuggingFace, TakesTheSpellingsOfBothTransformers) {
  TinyFolder tiny;
  tiny.config.erase("head_dim");
  tiny.config["attention_head_dim"] = 6;
  tiny.config.erase("rope_theta");
  tiny.config.erase("rope_scaling");
  tiny.config["rope_parameters"] = {
      {"rope_type", "dynamic"}, {"rope_theta", 10000.0}, {"alpha", 1000.0}};
  tiny.config["eos_token_id"] = {260, 257};
  tiny.write("generation_config.json", R"({"eos_token_id": [260, 261]})");
  const auto model = tiny.load();
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->config.d_head, 6);
  EXPECT_EQ(model->config.rope_base, static_cast<double>(316227766.0f));
  EXPECT_THAT(model->card.stop_ids, ElementsAre(260, 257, 267, 261));
}

TEST(HuggingFace, ReadsOurSection) {
  TinyFolder tiny;
  tiny.config["hymt"] = {{"prompts", "hy-mt2"}, {"languages", {"zh", "en"}}};
  const auto model = tiny.load();
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->card.generation, Generation::hy_mt2);
  EXPECT_THAT(model->card.languages, ElementsAre("zh", "en"));
}

TEST(HuggingFace, LeavesARedundantOutputOutAndKeepsAnother) {
  TinyFolder tiny;
  tiny.tensors.push_back({"lm_head.weight", {480, 8}});
  auto model = tiny.load();
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(model->weights.output, model->weights.embedding);
  tiny.config["tie_word_embeddings"] = false;
  model = tiny.load();
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_NE(model->weights.output, model->weights.embedding);
  tiny.tensors.pop_back();
  EXPECT_THAT(tiny.error().message, HasSubstr("'lm_head.weight' is missing"));
}

TEST(HuggingFace, CarriesTheChatTemplateForOtherPrograms) {
  const TinyFolder tiny;
  tiny.write("tokenizer_config.json", R"({"chat_template": "{{ a }}"})");
  const auto model = tiny.load();
  ASSERT_TRUE(model) << model.error().message;
  EXPECT_EQ(std::get<std::string>(model->checkpoint->metadata.at("tokenizer.chat_template")),
            "{{ a }}");
}

TEST(HuggingFace, NamesTheFieldOfTheConfigThatIsWrong) {
  struct Wrong {
    const char* field;
    json value;
    Code code;
  };
  const std::vector<Wrong> cases = {
      {"architectures", {"LlamaForCausalLM"}, Code::unsupported},
      {"architectures", {"HYV3ForCausalLM"}, Code::unsupported},
      {"architectures", {7}, Code::unsupported},
      {"quantization_config", {{"quant_method", "fp8"}}, Code::unsupported},
      {"quantization_config", {{"quant_method", "gptq"}, {"bits", 4}}, Code::unsupported},
      {"quantization_config", 1, Code::unsupported},
      {"attention_bias", true, Code::unsupported},
      {"use_qk_norm", false, Code::unsupported},
      {"hidden_act", "gelu", Code::unsupported},
      {"hidden_size", nullptr, Code::invalid_argument},
      {"hidden_size", "8", Code::invalid_argument},
      {"hidden_size", -8, Code::invalid_argument},
      {"hidden_size", 1e30, Code::invalid_argument},
      {"hidden_size", 18446744073709551615u, Code::invalid_argument},
      {"num_attention_heads", 0, Code::invalid_argument},
      {"head_dim", 2, Code::invalid_argument},
      {"rms_norm_eps", "x", Code::invalid_argument},
      {"rope_theta", {1}, Code::invalid_argument},
      {"rope_scaling", {{"type", "yarn"}, {"factor", 4}}, Code::unsupported},
      {"bos_token_id", "x", Code::invalid_argument},
      {"eos_token_id", {1, "x"}, Code::invalid_argument},
      {"hymt", 1, Code::invalid_argument},
  };
  for (const Wrong& wrong : cases) {
    TinyFolder tiny;
    tiny.config[wrong.field] = wrong.value;
    const Error error = tiny.error();
    EXPECT_EQ(error.code, wrong.code) << error.message;
    EXPECT_EQ(error.field, wrong.field) << error.message;
    EXPECT_THAT(error.message, HasSubstr("config.json: ")) << error.message;
  }
}

TEST(HuggingFace, SaysWhatToDoAboutQuantisedWeights) {
  TinyFolder tiny;
  tiny.config["quantization_config"] = {{"quant_method", "compressed-tensors"}};
  const std::string message = tiny.error().message;
  EXPECT_THAT(message, HasSubstr("'compressed-tensors'"));
  EXPECT_THAT(message, HasSubstr("use the unquantised checkpoint"));
}

TEST(HuggingFace, NamesTheFileThatIsMissingOrDamaged) {
  const test::TempFolder empty;
  EXPECT_EQ(open_huggingface(empty.path()).error().code, Code::not_found);
  EXPECT_THAT(open_huggingface(empty.path()).error().message, HasSubstr("no config.json"));

  const auto with = [](const char* name, const std::string& text) {
    const TinyFolder tiny;
    tiny.write(name, text);
    return tiny.error().message;
  };
  EXPECT_THAT(with("tokenizer.json", "{"), HasSubstr("tokenizer.json: "));
  EXPECT_THAT(with("hy.tiktoken", "YQ== 1\n"), HasSubstr("hy.tiktoken, line 1: "));
  EXPECT_THAT(with("hy.tiktoken", "YQ== 0\n"), HasSubstr("hy.tiktoken: "));
  EXPECT_THAT(with("generation_config.json", "nul"), HasSubstr("generation_config.json: "));
  EXPECT_THAT(with("generation_config.json", R"({"eos_token_id": {}})"),
              HasSubstr("generation_config.json: eos_token_id"));
  EXPECT_THAT(with("tokenizer_config.json", ""), HasSubstr("tokenizer_config.json"));

  const TinyFolder tiny;
  ASSERT_TRUE(tiny.load());
  std::filesystem::remove(tiny.folder / "hy.tiktoken");
  EXPECT_THAT(tiny.error().message, HasSubstr("neither tokenizer.json nor hy.tiktoken"));
}

TEST(HuggingFace, ConfigsThatAreNoObjectsAreErrors) {
  for (const std::string text : {"[]", "3", "\"x\"", "{}", "null", "{\"a\":", "\xFF"}) {
    const test::TempFolder folder;
    std::ofstream(folder / "config.json") << text;
    const auto checkpoint = open_huggingface(folder.path());
    ASSERT_FALSE(checkpoint) << text;
    EXPECT_THAT(checkpoint.error().message, HasSubstr("config.json"));
  }
}

TEST(HuggingFace, NamesATensorAsTheFileDoes) {
  TinyFolder tiny;
  tiny.tensors.push_back({"model.layers.0.self_attn.q_proj.bias", {12}});
  EXPECT_THAT(tiny.error().message, HasSubstr("'model.layers.0.self_attn.q_proj.bias'"));
  tiny.tensors.back() = {"model.layers.0.self_attn.rotary_emb.inv_freq", {3}};
  EXPECT_TRUE(tiny.load());
}

TEST(OpenCheckpoint, WantsTheFolderOfSafetensors) {
  const TinyFolder tiny;
  ASSERT_TRUE(tiny.load());
  const auto checkpoint = open_checkpoint(tiny.folder / "model.safetensors");
  ASSERT_FALSE(checkpoint);
  EXPECT_THAT(checkpoint.error().message, HasSubstr("give its folder instead"));
}

}  // namespace
}  // namespace hymt::model
