// Computes for the conformance tests. Reads a line of JSON and answers with a line of JSON, or
// makes a model file.
//
//   logprob_driver kernels                        prints the kernel tables of this machine
//   logprob_driver prompts MODEL                  ["en", "fr", "text"] -> {"prompt", "stop"}
//   logprob_driver logprobs MODEL KERNELS         {"tokens", "first", "wanted"} ->
//                                                 {"best", "logprobs"}
//   logprob_driver quantize IN OUT q8_0|q4_0
//   logprob_driver random OUT TYPE SEED D_MODEL N_HEADS N_KV_HEADS D_HEAD D_FF N_VOCAB TIED
//
// "wanted" holds, for each position from `first` on, the tokens whose log-probability as the next
// one is asked for; "best" is our own choice there.
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "checkpoint/gguf.h"
#include "checkpoint/quantize.h"
#include "cpu/cpu_runner.h"
#include "model/model.h"
#include "support/random_model.h"
#include "tokenizer/tokenizer.h"
#include "translate/prompt.h"

namespace {

using namespace hymt;
using nlohmann::json;
using tokenizer::Token;

constexpr int kMaxTokens = 512;

Result<model::Model> load_model(const std::string& path) {
  auto checkpoint = HYMT_TRY(model::open_checkpoint(path));
  return model::load(std::move(checkpoint));
}

template <class Answer>
Result<void> answer_lines(Answer answer) {
  std::string line;
  while (std::getline(std::cin, line)) {
    const json asked = HYMT_TRY(parse_json(line, "standard input"));
    const json answered = HYMT_TRY(answer(asked));
    std::cout << answered.dump() << '\n';
  }
  return {};
}

Result<void> answer_prompts(const std::string& path) {
  const model::Model model = HYMT_TRY(load_model(path));
  const auto tokenizer = HYMT_TRY(tokenizer::Tokenizer::make(model.vocabulary));
  return answer_lines([&](const json& asked) -> Result<json> {
    translate::Wishes wishes;
    wishes.source = translate::find_language(asked[0].get<std::string>());
    wishes.target = translate::find_language(asked[1].get<std::string>());
    const std::string user =
        translate::translation_prompt(model.card.generation, wishes, asked[2].get<std::string>());
    return json{{"prompt", translate::prompt_tokens(model.card.chat, *tokenizer, user)},
                {"stop", model.card.stop_ids}};
  });
}

Result<void> answer_logprobs(const std::string& path, const std::string& kernels) {
  // No tokenizer is needed, and random models have none worth the name.
  model::Model model;
  model.checkpoint =
      std::make_shared<checkpoint::Checkpoint>(HYMT_TRY(model::open_checkpoint(path)));
  model.config = HYMT_TRY(model::read_config(*model.checkpoint));
  model.weights = HYMT_TRY(model::find_weights(*model.checkpoint, model.config));
  ThreadPool pool(2);
  cpu::Options options;
  options.kernels = kernels;
  options.n_blocks = kMaxTokens / 16;
  options.max_batch_tokens = options.max_batch_asks = kMaxTokens;
  const auto runner = HYMT_TRY(cpu::make_runner(model, options, pool));
  std::vector<int32_t> blocks(static_cast<size_t>(options.n_blocks));
  std::iota(blocks.begin(), blocks.end(), 0);

  return answer_lines([&](const json& asked) -> Result<json> {
    const auto tokens = asked.at("tokens").get<std::vector<Token>>();
    const auto first = asked.at("first").get<size_t>();
    std::vector<model::Ask> asks(tokens.size());
    for (size_t i = first; i < asks.size(); ++i) asks[i].kind = model::Ask::Kind::logits;
    const model::Slice slice{static_cast<int>(tokens.size()), 0, blocks};
    const auto answers = HYMT_TRY(runner->forward({tokens, asks, {&slice, 1}}));
    json best = json::array(), logprobs = json::array();
    for (size_t i = first; i < tokens.size(); ++i) {
      const auto& logits = answers[i].logits;
      best.push_back(std::max_element(logits.begin(), logits.end()) - logits.begin());
      json row = json::array();
      for (const auto& token : asked.at("wanted").at(i - first)) {
        row.push_back(logits[token.get<size_t>()] - answers[i].log_sum_exp);
      }
      logprobs.push_back(std::move(row));
    }
    return json{{"best", std::move(best)}, {"logprobs", std::move(logprobs)}};
  });
}

Result<checkpoint::DType> type_named(const std::string& name) {
  using checkpoint::DType;
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::q8_0, DType::q4_0}) {
    std::string lower(checkpoint::name(type));
    for (char& c : lower) c = static_cast<char>(std::tolower(c));
    if (lower == name) return type;
  }
  return fail(Code::invalid_argument, "no type '" + name + "'");
}

Result<void> quantize(const std::string& in, const std::string& out, const std::string& type) {
  ThreadPool pool(2);
  const checkpoint::DType wanted = HYMT_TRY(type_named(type));
  const auto checkpoint = HYMT_TRY(model::open_checkpoint(in));
  const auto quantized = HYMT_TRY(checkpoint::quantize(checkpoint, wanted, pool));
  return checkpoint::write_gguf(quantized, out);
}

// A vocabulary that another engine accepts; nobody ever tokenizes with it.
void add_tokenizer(checkpoint::Checkpoint& checkpoint, int n_vocab) {
  std::vector<std::string> tokens;
  std::vector<int64_t> kinds(static_cast<size_t>(n_vocab), 1);
  for (int i = 0; i < n_vocab; ++i) tokens.push_back("token" + std::to_string(i));
  kinds[0] = kinds[1] = 3;
  auto& m = checkpoint.metadata;
  m["tokenizer.ggml.model"] = std::string("gpt2");
  m["tokenizer.ggml.pre"] = std::string("hunyuan");
  m["tokenizer.ggml.tokens"] = std::move(tokens);
  m["tokenizer.ggml.token_type"] = std::move(kinds);
  m["tokenizer.ggml.merges"] = std::vector<std::string>{"t o"};
  m["tokenizer.ggml.bos_token_id"] = int64_t{0};
  m["tokenizer.ggml.eos_token_id"] = int64_t{1};
}

Result<void> make_random(const std::string& out, const std::vector<std::string>& args) {
  std::vector<int> n;
  for (size_t i = 1; i < args.size(); ++i) n.push_back(std::stoi(args[i]));
  test::RandomModel recipe;
  recipe.type = HYMT_TRY(type_named(args[0]));
  recipe.seed = static_cast<uint32_t>(n.at(0));
  model::Config& config = recipe.config = test::tiny_config();
  config.d_model = n.at(1);
  config.n_heads = n.at(2);
  config.n_kv_heads = n.at(3);
  config.d_head = n.at(4);
  config.d_ff = n.at(5);
  config.n_vocab = n.at(6);
  config.rope_base = model::scaled_rope_base(10000, 1000, config.d_head);
  recipe.tied = n.at(7) != 0;
  checkpoint::Checkpoint checkpoint = *test::make_random_model(recipe).checkpoint;
  add_tokenizer(checkpoint, config.n_vocab);
  return checkpoint::write_gguf(checkpoint, out);
}

Result<void> run(const std::vector<std::string>& args) {
  if (args == std::vector<std::string>{"kernels"}) {
    std::cout << json(cpu::kernel_names()).dump() << '\n';
    return {};
  }
  if (args.size() == 2 && args[0] == "prompts") return answer_prompts(args[1]);
  if (args.size() == 3 && args[0] == "logprobs") return answer_logprobs(args[1], args[2]);
  if (args.size() == 4 && args[0] == "quantize") return quantize(args[1], args[2], args[3]);
  if (args.size() == 11 && args[0] == "random") {
    return make_random(args[1], {args.begin() + 2, args.end()});
  }
  return fail(Code::invalid_argument, "see the head of logprob_driver.cc for its arguments");
}

}  // namespace

int main(int argc, char** argv) {
  std::ios::sync_with_stdio(false);
  if (const auto done = run({argv + 1, argv + argc}); !done) {
    std::fprintf(stderr, "logprob_driver: %s\n", done.error().message.c_str());
    return 1;
  }
  return 0;
}
