#include "cli/service.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <optional>
#include <random>
#include <thread>

#include "base/check.h"
#include "checkpoint/gguf.h"
#include "cli/build_id.h"
#include "cli/embedded.h"
#include "cli/machine_memory.h"
#include "cli/sizes.h"
#include "cpu/cpu_runner.h"
#include "model/content_hash.h"
#include "translate/memory/redis_store.h"

namespace hymt::cli {
namespace {

std::string check_memory(const std::string& text) {
  return text == "auto" || parse_size(text) ? "" : "must be auto, or a size like 512MiB";
}

// Memory for the KV pool: as asked, else what the sequences running at once need for usual lengths
// (and one for its longest), at most half of what is free.
int64_t kv_memory(const ServiceOptions& options, const model::Config& config, int64_t token_bytes) {
  if (const auto size = parse_size(options.kv_memory)) return *size;
  constexpr int64_t kUsualTokens = 512;
  const int64_t one = std::min<int64_t>(
      config.n_context, options.translator.max_input_tokens + int64_t{kUsualTokens});
  const int64_t wanted = std::max(one, options.engine.max_sequences * kUsualTokens) * token_bytes;
  return std::min(wanted, std::max<int64_t>(0, available_memory() - options.memory.bytes) / 2);
}

// What can change answers and is no part of a request. Only a store that others write to needs to
// know what model it is: reading all of it takes time.
std::string identity_of(const ServiceOptions& options, const Loaded& loaded) {
  std::string identity = build_id() + ", " + loaded.runner->name();
  if (options.memory.redis) {
    identity += ", " + model::content_hash(*loaded.model.checkpoint, *loaded.pool);
  }
  return identity;
}

}  // namespace

void add_service_options(CLI::App& command, ServiceOptions& options) {
  command.add_option("--model", options.model,
                     "A .gguf file, a Hugging Face folder, or demo (default: $HYMT_MODEL, else the "
                     "demo model inside this program)");
  command
      .add_option("--prompts", options.prompts,
                  "The generation whose prompts to use, instead of what the model's file tells")
      ->check(CLI::IsMember({"hunyuan-mt", "hy-mt1.5", "hy-mt2", "chimera"}));
  command.add_option("--threads", options.threads, "Threads that compute (default: one a core)")
      ->check(CLI::Range(1, 1024));
  command.add_option("--kernels", options.kernels, "auto, or one of this machine's kernel tables")
      ->check(CLI::IsMember({"auto", "scalar", "avx2", "avx_vnni", "avx512", "neon"}));
  command
      .add_option("--kv-type", options.kv_type,
                  "What the attention cache is kept as: f16, or q8_0 for about half the memory")
      ->capture_default_str()
      ->check(CLI::IsMember({"f16", "q8_0"}));
  command.add_flag_callback(
      "--no-prefix-sharing", [&options] { options.engine.share_prefixes = false; },
      "Compute the heads that prompts have in common anew each time (to measure)");
  command
      .add_option("--kv-memory", options.kv_memory,
                  "Memory for the attention cache: auto, or a size like 512MiB")
      ->capture_default_str()
      ->check(CLI::Validator(check_memory, "SIZE"));
}

Result<checkpoint::Checkpoint> open_model(const std::string& name) {
  std::string path = name;
  if (path.empty()) {
    const char* variable = std::getenv("HYMT_MODEL");
    path = variable && *variable ? variable : "demo";
  }
  if (path == "demo") return checkpoint::read_gguf(demo_model(), "demo");
  return model::open_checkpoint(path);
}

Result<Loaded> load_model(const ServiceOptions& options) {
  std::optional<model::Generation> prompts;
  if (!options.prompts.empty()) prompts = model::generation_named(options.prompts);
  Loaded loaded;
  auto checkpoint = HYMT_TRY(open_model(options.model));
  loaded.model = HYMT_TRY(model::load(std::move(checkpoint), prompts));
  const auto& config = loaded.model.config;

  const int cores = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  loaded.pool = std::make_unique<ThreadPool>(options.threads > 0 ? options.threads : cores);

  cpu::Options runner;
  runner.kernels = options.kernels;
  runner.kv_type = options.kv_type;
  runner.max_batch_tokens = options.engine.step_tokens;
  runner.max_batch_asks = options.engine.max_sequences;
  const auto block_bytes =
      static_cast<int64_t>(HYMT_TRY(cpu::kv_block_bytes(config, options.kv_type)));
  const int64_t bytes = kv_memory(options, config, block_bytes / model::Limits().block_tokens);
  const int64_t n_blocks = bytes / block_bytes;
  if (n_blocks < 2 || n_blocks > std::numeric_limits<int32_t>::max()) {
    return fail(Code::invalid_argument,
                "--kv-memory of " + std::to_string(bytes) + " bytes makes " +
                    std::to_string(n_blocks) + " blocks of " + std::to_string(block_bytes) +
                    " bytes; at least 2 are needed",
                "kv-memory");
  }
  // The system promises more than it has, and kills who then takes it.
  const int64_t available = available_memory() - options.memory.bytes;
  if (options.commit_memory && bytes > available) {
    return fail(Code::unavailable,
                "--kv-memory of " + std::to_string(bytes) + " bytes is more than the " +
                    std::to_string(std::max<int64_t>(0, available)) +
                    " that this machine has left beside --cache-memory: ask for less",
                "kv-memory");
  }
  runner.n_blocks = static_cast<int>(n_blocks);
  runner.profile = options.profile;
  runner.commit_memory = options.commit_memory;
  loaded.runner = HYMT_TRY(cpu::make_runner(loaded.model, runner, *loaded.pool));
  return loaded;
}

Result<std::unique_ptr<Service>> make_service(const ServiceOptions& options, const Clock& clock,
                                              metrics::Registry& metrics, Log* log) {
  Loaded loaded = HYMT_TRY(load_model(options));
  auto service = std::make_unique<Service>();
  translate::memory::Options memory;
  memory.identity = identity_of(options, loaded);
  memory.bytes = static_cast<size_t>(options.memory.bytes);
  memory.keep = options.memory.keep;
  memory.seed = std::random_device()();
  service->model = std::move(loaded.model);
  service->pool = std::move(loaded.pool);
  service->tokenizer = HYMT_TRY(tokenizer::Tokenizer::make(service->model.vocabulary));
  service->engine =
      std::make_unique<engine::Engine>(std::move(loaded.runner), options.engine, clock, metrics);
  if (options.memory.redis) {
    HYMT_CHECK(log);
    translate::memory::RedisOptions redis = *options.memory.redis;
    redis.keep = options.memory.keep;
    service->store =
        std::make_unique<translate::memory::RedisStore>(std::move(redis), metrics, *log);
  }
  service->memory = std::make_unique<translate::memory::Memory>(
      *service->engine, service->store.get(), memory, clock, metrics);
  service->translator = std::make_unique<translate::Translator>(
      service->model.card, *service->tokenizer, *service->memory, options.translator);
  return service;
}

}  // namespace hymt::cli
