// hymt bench: the speed of the model on this machine, without the engine around it.
//
// Prefill: one sequence, its prompt in batches as the engine would cut it. Decode: B sequences of
// 64-token prompts, one token a sequence a step, 32 steps. Medians of several runs, beside what the
// machine's measured ceilings would allow, and where the time went.
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

constexpr int kDecodeSteps = 32;

struct BenchOptions {
  ServiceOptions service;
  std::vector<int> prefill = {512};
  std::vector<int> decode = {1, 8, 32};
  int context = 64;  // tokens that decoding sequences begin with
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
  }

  // Computes n tokens of every sequence, in batches no longer than the runner takes.
  Result<void> advance(int n) {
    const int longest = runner_.limits().max_batch_tokens;
    for (; n > longest; n -= longest) HYMT_TRY(advance(longest));
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
};

// One run of a test.
struct Run {
  double seconds = 0;
  double waited = 0;  // of them, for other threads
  cpu::Profile profile;
};

// What runs are made with, and accounted in.
struct Subject {
  model::Runner& runner;
  ThreadPool& pool;
  cpu::Profile& profile;
};

template <class F>
Result<Run> run_of(Subject& subject, F&& work) {
  subject.profile.clear();
  const double waited = subject.pool.waited_seconds();
  const auto start = std::chrono::steady_clock::now();
  HYMT_TRY(work());
  Run run;
  run.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run.waited = subject.pool.waited_seconds() - waited;
  run.profile = subject.profile;
  return run;
}

Result<Run> prefill(Subject& subject, int n_tokens) {
  Rows rows(subject.runner, 1, n_tokens);
  return run_of(subject, [&] { return rows.advance(n_tokens); });
}

Result<Run> decode(Subject& subject, int batch, int context) {
  Rows rows(subject.runner, batch, context + kDecodeSteps);
  HYMT_TRY(rows.advance(context));
  return run_of(subject, [&]() -> Result<void> {
    for (int step = 0; step < kDecodeSteps; ++step) HYMT_TRY(rows.advance(1));
    return {};
  });
}

// The run whose time is the median.
template <class F>
Result<Run> median_of(int repeat, F&& measure) {
  std::vector<Run> runs;
  for (int i = 0; i < repeat; ++i) runs.push_back(HYMT_TRY(measure()));
  const auto middle = runs.begin() + repeat / 2;
  std::nth_element(runs.begin(), middle, runs.end(),
                   [](const Run& a, const Run& b) { return a.seconds < b.seconds; });
  return *middle;
}

// What there is to measure; `n` prompt tokens, or sequences side by side.
struct Test {
  bool prefill;
  int n;
  Run run = {};
  cpu::Ceilings ceilings = {};  // at that time

  std::string name() const { return (prefill ? "prefill " : "decode ") + std::to_string(n); }
  double tokens() const { return prefill ? n : n * kDecodeSteps; }
};

double limit_seconds(const Test& test) {
  return cpu::least_seconds(test.run.profile.sum(), test.ceilings);
}

void print_heading(const cpu::Ceilings& ceilings) {
  const auto rate = [&](cpu::Format format) {
    return ceilings.operations_per_second[static_cast<size_t>(format)] * 1e-9;
  };
  std::printf("ceilings, Gop/s: q4 %.0f, q8 %.0f, bf16 %.0f, f32 %.0f\n\n", rate(cpu::Format::q4),
              rate(cpu::Format::q8), rate(cpu::Format::bf16), rate(cpu::Format::f32));
  std::printf("%-14s %10s %10s %9s   %s\n", "", "tokens/s", "limit", "of limit",
              "memory GB/s, core to core ns");
}

void print_row(const Test& test) {
  std::printf("%-14s %10.1f %10.1f %9.2f   %11.1f %17.0f\n", test.name().c_str(),
              test.tokens() / test.run.seconds, test.tokens() / limit_seconds(test),
              limit_seconds(test) / test.run.seconds, test.ceilings.bytes_per_second * 1e-9,
              test.ceilings.handover_seconds * 1e9);
  std::fflush(stdout);
}

// A column a test: what part of the time went where, and in brackets the share of that part's own
// limit.
void print_parts(const std::vector<Test>& tests) {
  std::printf("\n%-14s", "time by part");
  for (const Test& test : tests) std::printf(" %14s", test.name().c_str());
  for (const cpu::Part part : cpu::kAllParts) {
    std::printf("\n%-14s", cpu::name_of(part));
    for (const Test& test : tests) {
      const cpu::Profile::Entry& entry = test.run.profile.at(part);
      const double share = cpu::least_seconds(entry, test.ceilings) / entry.seconds;
      std::printf(" %7.1f%%", 100 * entry.seconds / test.run.seconds);
      if (share > 0) {
        std::printf(" (%.2f)", share);
      } else {
        std::printf("%7s", "");
      }
    }
  }
  std::printf("\n%-14s", "(waiting)");
  for (const Test& test : tests) {
    std::printf(" %7.1f%%%7s", 100 * test.run.waited / test.run.seconds, "");
  }
  std::printf("\n");
}

nlohmann::json as_json(const Test& test) {
  nlohmann::json parts;
  for (const cpu::Part part : cpu::kAllParts) {
    const cpu::Profile::Entry& entry = test.run.profile.at(part);
    parts[cpu::name_of(part)] = {{"seconds", entry.seconds},
                                 {"limit_seconds", cpu::least_seconds(entry, test.ceilings)}};
  }
  return {{"test", test.prefill ? "prefill" : "decode"},
          {test.prefill ? "tokens" : "batch", test.n},
          {"tok_per_s", test.tokens() / test.run.seconds},
          {"limit_tok_per_s", test.tokens() / limit_seconds(test)},
          {"share", limit_seconds(test) / test.run.seconds},
          {"memory_bytes_per_s", test.ceilings.bytes_per_second},
          {"handover_s", test.ceilings.handover_seconds},
          {"waiting_seconds", test.run.waited},
          {"parts", parts}};
}

nlohmann::json as_json(const cpu::Ceilings& ceilings) {
  return {{"ceilings",
           {{"q4_ops_per_s", ceilings.operations_per_second[0]},
            {"q8_ops_per_s", ceilings.operations_per_second[1]},
            {"bf16_ops_per_s", ceilings.operations_per_second[2]},
            {"f32_ops_per_s", ceilings.operations_per_second[3]}}}};
}

Result<void> bench(BenchOptions options) {
  // Room for the largest test, whatever the pool would be for serving.
  std::vector<Test> tests;
  for (const int n : options.prefill) tests.push_back({true, n});
  for (const int n : options.decode) tests.push_back({false, n});
  for (const Test& test : tests) {
    int& room = test.prefill ? options.service.translator.max_input_tokens
                             : options.service.engine.max_sequences;
    room = std::max(room, test.n);
  }
  cpu::Profile profile;
  options.service.profile = &profile;
  options.service.commit_memory = true;  // as the service does: no page is taken in a test
  const Loaded loaded = HYMT_TRY(load_model(options.service));
  loaded.pool->measure_waiting();
  Subject subject = {*loaded.runner, *loaded.pool, profile};
  const auto& limits = loaded.runner->limits();
  for (const Test& test : tests) {
    const int length = test.prefill ? test.n : options.context + kDecodeSteps;
    if (length > loaded.runner->config().n_context) {
      return fail(Code::invalid_argument, test.name() + " needs a context of " +
                                              std::to_string(length) + "; the model's has " +
                                              std::to_string(loaded.runner->config().n_context));
    }
    const int n_seqs = test.prefill ? 1 : test.n;
    if (int64_t{n_seqs} * ((length + limits.block_tokens - 1) / limits.block_tokens) >
        limits.n_blocks) {
      return fail(Code::invalid_argument, test.name() + " needs more --kv-memory", "kv-memory");
    }
  }

  cpu::Ceilings ceilings = HYMT_TRY(cpu::measure_operations(options.service.kernels, *loaded.pool));
  if (options.as_json) {
    std::cout << as_json(ceilings).dump() << std::endl;
  } else {
    std::printf("%s, %s, %d threads\n", loaded.model.card.name.c_str(),
                loaded.runner->name().c_str(), loaded.pool->size());
    print_heading(ceilings);
  }
  for (Test& test : tests) {
    HYMT_TRY(cpu::measure_memory(ceilings, *loaded.pool));
    test.ceilings = ceilings;
    test.run = HYMT_TRY(median_of(options.repeat, [&] {
      return test.prefill ? prefill(subject, test.n) : decode(subject, test.n, options.context);
    }));
    if (options.as_json) {
      std::cout << as_json(test).dump() << std::endl;
    } else {
      print_row(test);
    }
  }
  if (!options.as_json) print_parts(tests);
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
  command.add_option("--context", options->context, "Tokens that decoding sequences begin with")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  command.add_option("--repeat", options->repeat, "Runs of each; their median is reported")
      ->check(CLI::Range(1, 1000))
      ->capture_default_str();
  command.add_flag("--json", options->as_json, "One JSON object a line");
  command.callback([options, &action] { action = [options] { return bench(*options); }; });
}

}  // namespace hymt::cli
