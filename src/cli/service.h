// What serve, translate, generate, eval and bench share: a model brought to life.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "base/metrics.h"
#include "base/result.h"
#include "base/thread_pool.h"
#include "cpu/profile.h"
#include "engine/engine.h"
#include "model/model.h"
#include "tokenizer/tokenizer.h"
#include "translate/memory/memory.h"
#include "translate/memory/redis_store.h"
#include "translate/translator.h"

namespace CLI {
class App;
}

namespace hymt::cli {

// What is answered without computing it again.
struct MemoryOptions {
  int64_t bytes = 0;  // in the process; 0: none
  std::chrono::milliseconds keep{86'400'000};
  std::optional<translate::memory::RedisOptions> redis;  // shared with replicas
};

struct ServiceOptions {
  std::string model;    // a file, a folder, or "demo"; empty: $HYMT_MODEL, else demo
  std::string prompts;  // overrides the generation the file tells
  int threads = 0;      // 0: one a core
  std::string kernels = "auto";
  std::string kv_type = "f16";      // or q8_0
  std::string kv_memory = "auto";   // or a size: 512MiB, 4GiB
  cpu::Profile* profile = nullptr;  // where to account for the passes' time; outlives the service
  bool commit_memory = false;       // take all of it at start; refused if there is not so much
  engine::Options engine;
  MemoryOptions memory;
  translate::Translator::Options translator;
};

// --model, --prompts, --threads, --kernels, --kv-type, --kv-memory, --no-prefix-sharing.
void add_service_options(CLI::App& command, ServiceOptions& options);

// The checkpoint that `name` means: "" ($HYMT_MODEL, else demo), "demo" (inside the binary), a
// .gguf file or a Hugging Face folder.
Result<checkpoint::Checkpoint> open_model(const std::string& name);

// A loaded model with its pool and runner, before an engine takes it over (bench drives it bare).
struct Loaded {
  model::Model model;
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<model::Runner> runner;
};
Result<Loaded> load_model(const ServiceOptions& options);

// Members are destroyed in reverse order: the translator first, the pool last.
struct Service {
  model::Model model;
  std::unique_ptr<ThreadPool> pool;
  std::unique_ptr<const tokenizer::Tokenizer> tokenizer;
  std::unique_ptr<engine::Engine> engine;
  std::unique_ptr<translate::memory::Store> store;
  std::unique_ptr<translate::memory::Memory> memory;
  std::unique_ptr<translate::Translator> translator;
};
// The log is needed where there is a Redis, and outlives the service.
Result<std::unique_ptr<Service>> make_service(const ServiceOptions& options, const Clock& clock,
                                              metrics::Registry& metrics, Log* log = nullptr);

}  // namespace hymt::cli
