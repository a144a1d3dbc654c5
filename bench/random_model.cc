#include "bench/random_model.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <vector>

#include "bench/random_vocabulary.h"
#include "bench/random_weights.h"
#include "checkpoint/gguf_writer.h"
#include "checkpoint/quantize.h"
#include "model/gguf_vocabulary.h"

namespace hymt::bench {
namespace {

using checkpoint::Checkpoint;
using checkpoint::DType;
using checkpoint::TensorPlan;
using model::Config;
using tokenizer::PreTokenizer;

constexpr int64_t kPieceBytes = 4 << 20;

// A tensor and how its weights are distributed.
struct Plan {
  TensorPlan tensor;
  double mean = 0, deviation = 0;
};

class Planner {
 public:
  explicit Planner(DType type) : type_(type) {}

  // `gain` is the deviation of a row's product with a vector of deviation 1.
  void matrix(const std::string& name, int64_t rows, int64_t columns, double gain) {
    const bool fits = columns % checkpoint::block_shape(type_).elements == 0;
    plans.push_back({.tensor = {.name = name + ".weight",
                                .type = fits ? type_ : DType::f16,
                                .shape = {rows, columns}},
                     .deviation = gain / std::sqrt(static_cast<double>(columns))});
  }
  void norm(const std::string& name, int64_t size) {
    plans.push_back({.tensor = {.name = name + ".weight", .type = DType::f32, .shape = {size}},
                     .mean = 1,
                     .deviation = 0.1});
  }

  std::vector<Plan> plans;

 private:
  DType type_;
};

std::vector<Plan> plan_tensors(const RandomModel& model, DType type) {
  const Config& c = model.config;
  Planner out(type);
  // Logits of deviation 1: the most likely of many tokens stands out as little as in real text.
  out.matrix("token_embd", c.n_vocab, c.d_model, 1);
  out.norm("output_norm", c.d_model);
  if (!model.tied) out.matrix("output", c.n_vocab, c.d_model, 1);
  for (int layer = 0; layer < c.n_layers; ++layer) {
    const std::string block = "blk." + std::to_string(layer) + ".";
    out.norm(block + "attn_norm", c.d_model);
    out.matrix(block + "attn_q", c.d_query(), c.d_model, 1);
    out.matrix(block + "attn_k", c.d_kv(), c.d_model, 1);
    out.matrix(block + "attn_v", c.d_kv(), c.d_model, 1);
    // Small steps along the residual, so that it grows slowly over many layers.
    out.matrix(block + "attn_output", c.d_model, c.d_query(), 0.3);
    out.norm(block + "attn_q_norm", c.d_head);
    out.norm(block + "attn_k_norm", c.d_head);
    out.norm(block + "ffn_norm", c.d_model);
    out.matrix(block + "ffn_gate", c.d_ff, c.d_model, 1);
    out.matrix(block + "ffn_up", c.d_ff, c.d_model, 1);
    out.matrix(block + "ffn_down", c.d_model, c.d_ff, 0.3);
  }
  return std::move(out.plans);
}

int64_t file_type(DType type) {  // general.file_type
  switch (type) {
    case DType::f32:
      return 0;
    case DType::f16:
      return 1;
    case DType::q4_0:
      return 2;
    case DType::q8_0:
      return 7;
    case DType::bf16:
      break;
  }
  return 32;
}

Result<Checkpoint> metadata(const RandomModel& model, DType type, uint64_t seed) {
  const Config& c = model.config;
  Checkpoint out;
  const std::string prefix = "hunyuan-dense.";
  out.metadata = {
      {"general.architecture", std::string("hunyuan-dense")},
      {"general.name", model.name},
      {"general.file_type", file_type(type)},
      {"general.quantization_version", int64_t{2}},
      {"hymt.prompts", model.prompts},
      {prefix + "context_length", int64_t{c.n_context}},
      {prefix + "embedding_length", int64_t{c.d_model}},
      {prefix + "block_count", int64_t{c.n_layers}},
      {prefix + "feed_forward_length", int64_t{c.d_ff}},
      {prefix + "attention.head_count", int64_t{c.n_heads}},
      {prefix + "attention.head_count_kv", int64_t{c.n_kv_heads}},
      {prefix + "attention.key_length", int64_t{c.d_head}},
      {prefix + "attention.value_length", int64_t{c.d_head}},
      {prefix + "attention.layer_norm_rms_epsilon", double{c.rms_epsilon}},
      {prefix + "rope.freq_base", c.rope_base},
      {prefix + "rope.scaling.type", std::string("none")},
      {prefix + "vocab_size", int64_t{c.n_vocab}},
      {"tokenizer.ggml.add_bos_token", false},
  };
  const auto vocabulary = random_vocabulary(c.n_vocab, model.pre, seed);
  HYMT_TRY(model::write_vocabulary(vocabulary, out));
  const bool dense = model.pre == PreTokenizer::hunyuan_dense;
  const std::pair<const char*, const char*> ids[] = {
      {"bos", dense ? "<｜hy_begin▁of▁sentence｜>" : "<|startoftext|>"},
      {"eos", dense ? "<｜hy_place▁holder▁no▁2｜>" : "<|eos|>"},
      {"padding", dense ? "<｜hy_▁pad▁｜>" : "<|pad|>"}};
  for (const auto& [role, text] : ids) {
    out.metadata[std::string("tokenizer.ggml.") + role + "_token_id"] =
        int64_t{vocabulary.find_special(text)};
  }
  return out;
}

// What would make a file that cannot be read: read_config's limits, checked before the work.
Result<void> check(const RandomModel& model) {
  const Config& c = model.config;
  const auto refuse = [](const std::string& what) { return fail(Code::invalid_argument, what); };
  for (const int size : {c.n_layers, c.d_model, c.n_heads, c.n_kv_heads, c.d_ff, c.n_context}) {
    if (size < 1) return refuse("every size of a model is at least 1");
  }
  if (c.d_head < 2 || c.d_head % 2 != 0) return refuse("d_head must be even");
  if (c.n_heads % c.n_kv_heads != 0) return refuse("heads must be a multiple of kv-heads");
  if (c.n_vocab < kSmallestVocabulary) {
    return refuse("vocab must be at least " + std::to_string(kSmallestVocabulary));
  }
  return {};
}

}  // namespace

std::optional<RandomModel> random_model(std::string_view shape) {
  RandomModel out;
  out.name = "random " + std::string(shape);
  Config& c = out.config;
  c.rms_epsilon = 1e-5f;
  double alpha = 1000;
  if (shape == "demo") {
    c.n_layers = 6, c.d_model = 256, c.n_heads = 4, c.n_kv_heads = 2, c.d_head = 64;
    c.d_ff = 1024, c.n_vocab = 8192, c.n_context = 2048;
  } else if (shape == "hunyuan-mt-7b") {
    c.n_layers = 32, c.d_model = 4096, c.n_heads = 32, c.n_kv_heads = 8, c.d_head = 128;
    c.d_ff = 14336, c.n_vocab = 128256, c.n_context = 32768;
    alpha = 100000;
  } else if (shape == "hy-mt1.5-1.8b") {
    c.n_layers = 32, c.d_model = 2048, c.n_heads = 16, c.n_kv_heads = 4, c.d_head = 128;
    c.d_ff = 6144, c.n_vocab = 120818, c.n_context = 262144;
    out.pre = PreTokenizer::hunyuan_dense;
    out.prompts = "hy-mt1.5";
  } else {
    return std::nullopt;
  }
  c.rope_base = model::scaled_rope_base(10000, alpha, c.d_head);
  return out;
}

Result<uint64_t> write_random_model(const RandomModel& model, DType type, uint64_t seed,
                                    const std::string& path, ThreadPool& pool,
                                    const std::function<void(uint64_t, uint64_t)>& progress) {
  HYMT_TRY(check(model));
  const auto plans = plan_tensors(model, type);
  std::vector<TensorPlan> tensors;
  uint64_t total = 0, done = 0;
  for (const Plan& plan : plans) {
    tensors.push_back(plan.tensor);
    total += plan.tensor.size();
  }
  const Checkpoint head = HYMT_TRY(metadata(model, type, seed));
  auto writer = HYMT_TRY(checkpoint::GgufWriter::create(path, head.metadata, tensors));

  // Tables by what they depend on: the layers share a handful.
  std::map<std::tuple<DType, double, double>, std::unique_ptr<RandomRows>> tables;
  std::vector<std::byte> piece;
  for (size_t i = 0; i < plans.size(); ++i) {
    const auto& [tensor, mean, deviation] = plans[i];
    auto& rows = tables[{tensor.type, mean, deviation}];
    if (!rows) rows = std::make_unique<RandomRows>(tensor.type, mean, deviation);
    const uint64_t tensor_seed = seed * 1000003 + i;
    const auto row_size = static_cast<int64_t>(tensor.row_size());
    const int64_t step = std::max<int64_t>(1, kPieceBytes / row_size);
    for (int64_t row = 0; row < tensor.rows(); row += step) {
      const int64_t n = std::min(step, tensor.rows() - row);
      piece.resize(static_cast<size_t>(n * row_size));
      pool.run([&](int worker) {
        const Share share = share_of(static_cast<int>(n), worker, pool.size());
        for (int64_t k = share.begin; k < share.end; ++k) {
          rows->fill(tensor_seed, row + k, tensor.columns(), piece.data() + k * row_size);
        }
      });
      HYMT_TRY(writer.write(piece));
      done += piece.size();
      if (progress) progress(done, total);
    }
  }
  HYMT_TRY(writer.finish());
  return writer.file_size();
}

}  // namespace hymt::bench
