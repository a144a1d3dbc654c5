// Writes a model with random weights as GGUF:
//   make_model --shape hy-mt1.5-1.8b --type q4_0 --seed 1 model.gguf
#include <CLI/CLI.hpp>
#include <cstdio>
#include <thread>

#include "bench/random_model.h"

namespace {

using hymt::bench::RandomModel;
using hymt::checkpoint::DType;

struct Options {
  std::string shape = "demo";
  DType type = DType::q4_0;
  uint64_t seed = 1;
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  std::string out;
  // 0: as the shape has it
  int layers = 0, d_model = 0, heads = 0, kv_heads = 0, d_head = 0, d_ff = 0, vocab = 0,
      context = 0;
  bool untied = false;
  std::string tokenizer, name;
};

void add_options(CLI::App& app, Options& options) {
  static const std::map<std::string, DType> types = {{"f32", DType::f32},
                                                     {"f16", DType::f16},
                                                     {"bf16", DType::bf16},
                                                     {"q8_0", DType::q8_0},
                                                     {"q4_0", DType::q4_0}};
  app.add_option("--shape", options.shape, "shape to start from")
      ->check(CLI::IsMember({"demo", "hunyuan-mt-7b", "hy-mt1.5-1.8b"}));
  app.add_option("--type", options.type, "type of the matrices")
      ->transform(CLI::CheckedTransformer(types));
  app.add_option("--seed", options.seed, "the same seed gives the same file");
  app.add_option("--threads", options.threads)->check(CLI::Range(1, 256));
  app.add_option("OUT", options.out, "the GGUF file")->required();
  const auto size = [&](const char* name, int& value) {
    app.add_option(name, value)->check(CLI::PositiveNumber)->group("Shape");
  };
  size("--layers", options.layers);
  size("--d-model", options.d_model);
  size("--heads", options.heads);
  size("--kv-heads", options.kv_heads);
  size("--d-head", options.d_head);
  size("--d-ff", options.d_ff);
  size("--vocab", options.vocab);
  size("--context", options.context);
  app.add_flag("--untied", options.untied, "an output matrix of its own")->group("Shape");
  app.add_option("--tokenizer", options.tokenizer)
      ->check(CLI::IsMember({"hunyuan", "hunyuan-dense"}))
      ->group("Shape");
  app.add_option("--name", options.name, "general.name");
}

RandomModel model_of(const Options& options) {
  RandomModel model = *hymt::bench::random_model(options.shape);
  auto& c = model.config;
  const auto set = [](int& value, int wanted) { value = wanted > 0 ? wanted : value; };
  set(c.n_layers, options.layers);
  set(c.d_model, options.d_model);
  set(c.n_heads, options.heads);
  set(c.n_kv_heads, options.kv_heads);
  set(c.d_ff, options.d_ff);
  set(c.n_vocab, options.vocab);
  set(c.n_context, options.context);
  if (options.d_head > 0) {
    c.d_head = options.d_head;
    c.rope_base = options.d_head > 2 ? hymt::model::scaled_rope_base(10000, 1000, c.d_head) : 1e4;
  }
  if (options.untied) model.tied = false;
  if (!options.tokenizer.empty()) {
    const bool dense = options.tokenizer == "hunyuan-dense";
    model.pre = dense ? hymt::tokenizer::PreTokenizer::hunyuan_dense
                      : hymt::tokenizer::PreTokenizer::hunyuan;
    model.prompts = dense ? "hy-mt1.5" : "hunyuan-mt";
  }
  if (!options.name.empty()) model.name = options.name;
  return model;
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app("Writes a model with random weights: for benchmarks and tests");
  Options options;
  add_options(app, options);
  CLI11_PARSE(app, argc, argv);
  hymt::ThreadPool pool(options.threads);
  const auto size = hymt::bench::write_random_model(model_of(options), options.type, options.seed,
                                                    options.out, pool);
  if (!size) {
    std::fprintf(stderr, "make_model: %s\n", size.error().message.c_str());
    return 1;
  }
  std::printf("%s: %.1f MB\n", options.out.c_str(), static_cast<double>(*size) / 1e6);
  return 0;
}
