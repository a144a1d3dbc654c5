// hymt bench: the speed of the model on this machine, without the engine around it.
//
// Prefill: one sequence, its prompt in batches as the engine would cut it. Decode: B sequences of
// 64-token prompts, one token a sequence a step, 32 steps. Medians of several runs.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <numeric>

#include "cli/commands.h"
#include "cli/service.h"

namespace hymt::cli {
namespace {

constexpr int kPromptTokens = 64;
constexpr int kDecodeSteps = 32;

struct BenchOptions {
  ServiceOptions service;
  std::vector<int> prefill = {512};
  std::vector<int> decode = {1, 8, 32};
  int repeat = 3;
  bool as_json = false;
};

// Sequences side by side, each with its own blocks, all at the same position.
class Rows {
 public:
  Rows(model::Runner& runner, int n_seqs, int max_tokens) : runner_(runner), n_seqs_(n_seqs) {
    const int n_blocks =
        (max_tokens + runner.limits().block_tokens - 1) / runner.limits().block_tokens;
    for (int seq = 0; seq < n_seqs; ++seq) {
      blocks_.emplace_back(static_cast<size_t>(n_blocks));
      std::iota(blocks_.back().begin(), blocks_.back().end(), seq * n_blocks);
    }
    enough_ = n_seqs * n_blocks <= runner.limits().n_blocks;
  }

  bool enough() const { return enough_; }

  // Computes n tokens of every sequence, in batches no longer than the runner takes.
  Result<void> advance(int n) {
    const int longest = runner_.limits().max_batch_tokens;
    for (int seq = 0; seq < n_seqs_;) {
      std::vector<model::Token> tokens;
      std::vector<model::Ask> asks;
      std::vector<model::Slice> slices;
      const int share = std::max(1, std::min(n_seqs_ - seq, longest / n));
      for (int s = 0; s < share; ++s, ++seq) {
        for (int i = 0; i < n; ++i) tokens.push_back(next_token());
        asks.resize(tokens.size());
        asks.back().kind = model::Ask::Kind::arg_max;
        slices.push_back({n, position_, blocks_[static_cast<size_t>(seq)]});
      }
      HYMT_TRY(runner_.forward({tokens, asks, slices}));
    }
    position_ += n;
    return {};
  }

 private:
  // Any tokens will do: the time does not depend on them.
  model::Token next_token() {
    state_ = state_ * 1664525u + 1013904223u;
    return static_cast<model::Token>((state_ >> 8) %
                                     static_cast<uint32_t>(runner_.config().n_vocab));
  }

  model::Runner& runner_;
  int n_seqs_;
  int position_ = 0;
  std::vector<std::vector<int32_t>> blocks_;
  uint32_t state_ = 1;
  bool enough_;
};

template <class F>
Result<double> seconds_of(F&& work) {
  const auto start = std::chrono::steady_clock::now();
  HYMT_TRY(work());
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Result<double> prefill_seconds(model::Runner& runner, int n_tokens) {
  Rows rows(runner, 1, n_tokens);
  if (!rows.enough()) {
    return fail(Code::invalid_argument,
                "--prefill " + std::to_string(n_tokens) + " needs more --kv-memory");
  }
  return seconds_of([&]() -> Result<void> {
    for (int left = n_tokens; left > 0;) {
      const int n = std::min(left, runner.limits().max_batch_tokens);
      HYMT_TRY(rows.advance(n));
      left -= n;
    }
    return {};
  });
}

Result<double> decode_seconds(model::Runner& runner, int batch) {
  Rows rows(runner, batch, kPromptTokens + kDecodeSteps);
  HYMT_TRY(rows.advance(kPromptTokens));
  return seconds_of([&]() -> Result<void> {
    for (int step = 0; step < kDecodeSteps; ++step) HYMT_TRY(rows.advance(1));
    return {};
  });
}

template <class F>
Result<double> median_of(int repeat, F&& measure) {
  std::vector<double> all;
  for (int i = 0; i < repeat; ++i) all.push_back(HYMT_TRY(measure()));
  std::nth_element(all.begin(), all.begin() + repeat / 2, all.end());
  return all[static_cast<size_t>(repeat / 2)];
}

Result<void> bench(BenchOptions options) {
  // Room for the largest test, whatever the pool would be for serving.
  const int widest =
      options.decode.empty() ? 1 : *std::max_element(options.decode.begin(), options.decode.end());
  const int longest = options.prefill.empty()
                          ? 1
                          : *std::max_element(options.prefill.begin(), options.prefill.end());
  options.service.engine.max_sequences = std::max(widest, options.service.engine.max_sequences);
  options.service.translator.max_input_tokens =
      std::max(longest, options.service.translator.max_input_tokens);
  const Loaded loaded = HYMT_TRY(load_model(options.service));
  model::Runner& runner = *loaded.runner;

  const auto report = [&](const char* test, const char* unit, int n, double tokens_per_second) {
    if (options.as_json) {
      std::cout
          << nlohmann::json{{"test", test}, {unit, n}, {"tok_per_s", tokens_per_second}}.dump()
          << std::endl;
    } else {
      std::printf("%-8s %5d   %10.1f tokens/s\n", test, n, tokens_per_second);
      std::fflush(stdout);
    }
  };
  if (!options.as_json) {
    std::printf("%s, %s, %d threads\n", loaded.model.card.name.c_str(), runner.name().c_str(),
                loaded.pool->size());
  }
  for (const int n : options.prefill) {
    if (n > runner.config().n_context) {
      return fail(Code::invalid_argument, "--prefill " + std::to_string(n) +
                                              " is longer than the model's context of " +
                                              std::to_string(runner.config().n_context));
    }
    const double seconds =
        HYMT_TRY(median_of(options.repeat, [&] { return prefill_seconds(runner, n); }));
    report("prefill", "tokens", n, n / seconds);
  }
  for (const int batch : options.decode) {
    if (!Rows(runner, batch, kPromptTokens + kDecodeSteps).enough()) {
      return fail(Code::invalid_argument,
                  "--decode " + std::to_string(batch) + " needs more --kv-memory");
    }
    const double seconds =
        HYMT_TRY(median_of(options.repeat, [&] { return decode_seconds(runner, batch); }));
    report("decode", "batch", batch, batch * kDecodeSteps / seconds);
  }
  return {};
}

}  // namespace

void add_bench(CLI::App& app, Action& action) {
  auto options = std::make_shared<BenchOptions>();
  CLI::App& command = *app.add_subcommand("bench", "Measure the speed of a model on this machine");
  add_service_options(command, options->service);
  const auto list = [&](const char* name, std::vector<int>& values, const char* help) {
    command.add_option(name, values, help)
        ->delimiter(',')
        ->check(CLI::Range(1, 1 << 20))
        ->capture_default_str();
  };
  list("--prefill", options->prefill, "Prompt lengths, in tokens");
  list("--decode", options->decode, "Numbers of sequences that decode side by side");
  command.add_option("--repeat", options->repeat, "Runs of each; their median is reported")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_flag("--json", options->as_json, "One JSON object a line");
  command.callback([options, &action] { action = [options] { return bench(*options); }; });
}

}  // namespace hymt::cli
