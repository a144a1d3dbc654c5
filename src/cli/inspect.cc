// hymt inspect: what a checkpoint holds, and what was made of it and why.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/inspect_text.h"
#include "cli/service.h"

namespace hymt::cli {
namespace {

using checkpoint::Checkpoint;
using checkpoint::Value;
using nlohmann::ordered_json;

constexpr size_t kWholeList = 16;  // elements that are shown before a list is abbreviated
constexpr size_t kFirst = 8;       // elements of an abbreviated list

struct InspectOptions {
  std::string file;
  std::string prompts;
  bool as_json = false;
};

template <class T>
ordered_json list_json(const std::vector<T>& values) {
  ordered_json first = ordered_json::array();
  const size_t n = values.size() <= kWholeList ? values.size() : kFirst;
  for (size_t i = 0; i < n; ++i) first.push_back(static_cast<T>(values[i]));
  if (n == values.size()) return first;
  return {{"length", values.size()}, {"first", std::move(first)}};
}

struct ToJson {
  // A float32 by its own shortest text, not by that of the double it was widened to: 1e-05.
  ordered_json operator()(double value) const {
    const auto single = static_cast<float>(value);
    if (static_cast<double>(single) != value) return value;
    char text[32];
    const auto end = std::to_chars(text, text + sizeof text, single).ptr;
    std::from_chars(text, end, value);
    return value;
  }
  ordered_json operator()(const std::string& value) const { return value; }
  template <class T>
  ordered_json operator()(const std::vector<T>& values) const {
    return list_json(values);
  }
  template <class T>
  ordered_json operator()(T value) const {
    return value;
  }
};

ordered_json metadata_json(const Checkpoint& checkpoint) {
  ordered_json out = ordered_json::object();
  for (const auto& [key, value] : checkpoint.metadata) out[key] = std::visit(ToJson(), value);
  return out;
}

ordered_json tensors_json(const Checkpoint& checkpoint) {
  struct Sum {
    int64_t tensors = 0, weights = 0;
    uint64_t bytes = 0;
  };
  std::map<checkpoint::DType, Sum> types;
  Sum all;
  ordered_json list = ordered_json::array();
  for (const auto& tensor : checkpoint.tensors) {
    int64_t weights = 1;
    for (const int64_t size : tensor.shape) weights *= size;
    for (Sum* sum : {&types[tensor.type], &all}) {
      ++sum->tensors;
      sum->weights += weights;
      sum->bytes += tensor.data.size();
    }
    list.push_back({{"name", tensor.name},
                    {"type", checkpoint::name(tensor.type)},
                    {"shape", tensor.shape},
                    {"bytes", tensor.data.size()}});
  }
  const auto sum_json = [](const Sum& sum) {
    return ordered_json{{"tensors", sum.tensors}, {"weights", sum.weights}, {"bytes", sum.bytes}};
  };
  ordered_json out = sum_json(all);
  for (const auto& [type, sum] : types) {
    out["types"][std::string(checkpoint::name(type))] = sum_json(sum);
  }
  out["list"] = std::move(list);
  return out;
}

ordered_json config_json(const model::Model& model) {
  const model::Config& c = model.config;
  return {{"layers", c.n_layers},
          {"d_model", c.d_model},
          {"heads", c.n_heads},
          {"kv_heads", c.n_kv_heads},
          {"d_head", c.d_head},
          {"d_ff", c.d_ff},
          {"vocabulary", c.n_vocab},
          {"context", c.n_context},
          {"rope_base", c.rope_base},
          {"rms_epsilon", ToJson()(double{c.rms_epsilon})},
          {"tied", model.weights.output == model.weights.embedding}};
}

ordered_json tokenizer_json(const tokenizer::Vocabulary& vocabulary) {
  const auto count = [&](tokenizer::TokenKind kind) {
    return std::count(vocabulary.kinds.begin(), vocabulary.kinds.end(), kind);
  };
  return {{"pre_tokenizer", name(vocabulary.pre)},
          {"tokens", vocabulary.tokens.size()},
          {"normal", count(tokenizer::TokenKind::normal)},
          {"control", count(tokenizer::TokenKind::control)},
          {"user_defined", count(tokenizer::TokenKind::user_defined)},
          {"unused", count(tokenizer::TokenKind::unused)},
          {"merges", vocabulary.merges.size()},
          {"by_rank", vocabulary.merges.empty()}};
}

ordered_json tokens_json(const std::vector<model::Token>& tokens,
                         const tokenizer::Vocabulary& vocabulary) {
  ordered_json out = ordered_json::array();
  for (const model::Token token : tokens) {
    out.push_back({{"id", token}, {"text", vocabulary.tokens[static_cast<size_t>(token)]}});
  }
  return out;
}

ordered_json card_json(const model::Model& model) {
  const model::ModelCard& card = model.card;
  const auto tokens = [&](const std::vector<model::Token>& ids) {
    return tokens_json(ids, model.vocabulary);
  };
  return {{"name", card.name},
          {"prompts", model::name(card.generation)},
          {"languages", card.languages},
          {"chat",
           {{"bos", tokens(card.chat.bos)},
            {"system_end", tokens(card.chat.system_end)},
            {"user_start", tokens(card.chat.user_start)},
            {"user_end", tokens(card.chat.user_end)}}},
          {"stop", tokens(card.stop_ids)},
          {"recommended",
           {{"temperature", ToJson()(double{card.recommended.temperature})},
            {"top_k", card.recommended.top_k},
            {"top_p", ToJson()(double{card.recommended.top_p})},
            {"repetition_penalty", ToJson()(double{card.recommended.repetition_penalty})}}},
          {"reasons", card.reasons}};
}

// A file that cannot be run is shown all the same; the error comes last.
Result<void> inspect(const InspectOptions& options) {
  std::optional<model::Generation> prompts;
  if (!options.prompts.empty()) prompts = model::generation_named(options.prompts);
  const Checkpoint checkpoint = HYMT_TRY(open_model(options.file));
  const auto model = model::load(checkpoint, prompts);

  ordered_json report = {{"file", checkpoint.path}};
  if (model) {
    report["model"] = card_json(*model);
    report["config"] = config_json(*model);
    report["tokenizer"] = tokenizer_json(model->vocabulary);
  } else {
    report["error"] = {{"code", name(model.error().code)}, {"message", model.error().message}};
  }
  report["tensors"] = tensors_json(checkpoint);
  report["metadata"] = metadata_json(checkpoint);

  if (options.as_json) {
    std::cout << report.dump(2, ' ', false, ordered_json::error_handler_t::replace) << "\n";
  } else {
    std::cout << inspect_text(report);
  }
  if (!model) return tl::unexpected(model.error());
  return {};
}

}  // namespace

void add_inspect(CLI::App& app, Action& action) {
  auto options = std::make_shared<InspectOptions>();
  CLI::App& command = *app.add_subcommand(
      "inspect", "Show what a checkpoint holds, how hymt will speak to it, and why");
  command.add_option("FILE", options->file, "A .gguf file, a Hugging Face folder, or demo")
      ->required();
  command
      .add_option("--prompts", options->prompts,
                  "The generation whose prompts to use, instead of what the file tells")
      ->check(CLI::IsMember({"hunyuan-mt", "hy-mt1.5", "hy-mt2", "chimera"}));
  command.add_flag("--json", options->as_json, "As JSON, with every tensor");
  command.callback([options, &action] { action = [options] { return inspect(*options); }; });
}

}  // namespace hymt::cli
