// hymt quantize: any readable checkpoint to a GGUF file with smaller weights.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <filesystem>
#include <iostream>
#include <thread>

#include "base/quote.h"
#include "checkpoint/quantize.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/service.h"
#include "cli/sizes.h"

namespace hymt::cli {
namespace {

using checkpoint::Checkpoint;
using checkpoint::DType;

struct QuantizeOptions {
  std::string in, out;
  std::string type;
  int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
};

DType type_named(std::string name) {
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  for (const DType type : {DType::f32, DType::f16, DType::bf16, DType::q8_0, DType::q4_0}) {
    if (checkpoint::name(type) == name) return type;
  }
  return DType::q8_0;  // not reached: the command line knows only these
}

// The input, by whatever name: overwriting it would take away what cannot be had back.
Result<void> check_paths(const QuantizeOptions& options) {
  std::error_code error;
  if (std::filesystem::equivalent(options.in, options.out, error)) {
    return fail(Code::invalid_argument,
                options.out + ": this is the input itself; write to another file", "OUT");
  }
  if (std::filesystem::is_directory(options.out, error)) {
    return fail(Code::invalid_argument, options.out + ": this is a folder; name a file in it",
                "OUT");
  }
  return {};
}

// The generation that the source tells by its name, its special tokens or its folder, written down:
// the new file may be called anything. A source that is not understood is only converted.
void keep_generation(const Checkpoint& from, checkpoint::QuantizePlan& plan) {
  if (const auto model = model::load(from)) {
    plan.metadata.try_emplace("hymt.prompts", std::string(model::name(model->card.generation)));
  }
}

// What a reader should know before using the result.
void print_notes(const Checkpoint& from, const checkpoint::QuantizePlan& plan, DType type) {
  for (const std::string& name : plan.kept) {
    std::cout << "kept as it is, its rows are no multiple of the block: " << in_quotes(name)
              << "\n";
  }
  const bool again = std::any_of(from.tensors.begin(), from.tensors.end(), [&](const auto& one) {
    return checkpoint::block_shape(one.type).elements > 1 && one.type != type;
  });
  if (again) {
    std::cout << "note: the input is quantised already; from BF16, F16 or F32 the result is "
                 "better\n";
  }
}

Result<void> quantize(const QuantizeOptions& options) {
  HYMT_TRY(check_paths(options));
  const DType type = type_named(options.type);
  const Checkpoint from = HYMT_TRY(open_model(options.in));
  auto plan = checkpoint::plan_quantize(from, type);
  keep_generation(from, plan);
  uint64_t before = 0, after = 0;
  for (const auto& tensor : from.tensors) before += tensor.data.size();
  for (const auto& tensor : plan.tensors) after += tensor.size();
  ThreadPool pool(options.threads);
  {
    Progress bar("quantizing", after);
    HYMT_TRY(checkpoint::quantize_to_file(from, plan, options.out, pool,
                                          [&](uint64_t done, uint64_t) { bar.set(done); }));
  }
  print_notes(from, plan, type);
  std::cout << options.out << ": weights " << size_text(before) << " -> " << size_text(after)
            << " (" << checkpoint::name(type) << "), file "
            << size_text(std::filesystem::file_size(options.out)) << "\n";
  return {};
}

}  // namespace

void add_quantize(CLI::App& app, Action& action) {
  auto options = std::make_shared<QuantizeOptions>();
  CLI::App& command =
      *app.add_subcommand("quantize", "Write a checkpoint as a GGUF file with smaller weights");
  command.add_option("IN", options->in, "A .gguf file, a Hugging Face folder, or demo")->required();
  command.add_option("OUT", options->out, "The GGUF file to write")->required();
  command
      .add_option("--type", options->type,
                  "q8_0 (nearly as good as the original), q4_0 (half of that), bf16, f16, f32")
      ->required()
      ->check(CLI::IsMember({"q8_0", "q4_0", "bf16", "f16", "f32"}, CLI::ignore_case));
  command.add_option("--threads", options->threads, "Threads that compute (default: one a core)")
      ->check(CLI::Range(1, 1024));
  command.callback([options, &action] { action = [options] { return quantize(*options); }; });
}

}  // namespace hymt::cli
