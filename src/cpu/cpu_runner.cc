#include "cpu/cpu_runner.h"

#include "base/check.h"
#include "cpu/graph/forward.h"
#include "cpu/kernels/dispatch.h"
#include "cpu/kv_cache.h"
#include "cpu/weights/packed_weights.h"

namespace hymt::cpu {
namespace {

constexpr int kMaxTopK = 128;
constexpr std::string_view kKvNames[kKvTypes] = {"f16", "q8_0"};

Result<KvType> kv_type_named(std::string_view name) {
  for (int type = 0; type < kKvTypes; ++type) {
    if (kKvNames[type] == name) return static_cast<KvType>(type);
  }
  return fail(Code::unsupported,
              "keys and values cannot be kept as '" + std::string(name) + "', only as f16 or q8_0");
}

class CpuRunner final : public model::Runner {
 public:
  CpuRunner(const model::Config& config, const model::Limits& limits, const Kernels& kernels,
            ThreadPool& pool, PackedWeights weights, KvCache kv, Activations activations,
            Answers answers, Profile* profile)
      : config_(config),
        limits_(limits),
        kernels_(kernels),
        weights_(std::move(weights)),
        kv_(std::move(kv)),
        activations_(std::move(activations)),
        answers_(std::move(answers)),
        forward_(
            {config_, limits_, weights_, kernels_, pool, kv_, activations_, answers_, profile}) {}

  const model::Config& config() const override { return config_; }
  const model::Limits& limits() const override { return limits_; }
  std::string name() const override {
    return std::string("cpu/") + kernels_.name +
           " kv=" + std::string(kKvNames[static_cast<int>(kv_.type())]);
  }

  Result<std::span<const model::Answer>> forward(const model::Batch& batch) override {
    return forward_.run(batch);
  }

  void copy_blocks(std::span<const model::BlockCopy> copies) override {
    for (const auto& copy : copies) {
      HYMT_CHECK(copy.from >= 0 && copy.from < kv_.n_blocks());
      HYMT_CHECK(copy.to >= 0 && copy.to < kv_.n_blocks());
      kv_.copy(copy);
    }
  }

 private:
  const model::Config config_;
  const model::Limits limits_;
  const Kernels kernels_;
  const PackedWeights weights_;
  KvCache kv_;
  Activations activations_;
  Answers answers_;
  Forward forward_;
};

}  // namespace

Result<size_t> kv_block_bytes(const model::Config& config, std::string_view kv_type) {
  return KvCache::block_bytes(config, HYMT_TRY(kv_type_named(kv_type)));
}

Result<std::unique_ptr<model::Runner>> make_runner(const model::Model& model,
                                                   const Options& options, ThreadPool& pool) {
  const Kernels kernels = HYMT_TRY(find_kernels(options.kernels));
  const model::Config& config = model.config;
  model::Limits limits;
  limits.block_tokens = kBlockTokens;
  limits.n_blocks = options.n_blocks;
  limits.max_batch_tokens = options.max_batch_tokens;
  limits.max_batch_asks = options.max_batch_asks;
  limits.max_top_k = kMaxTopK;
  if (options.n_blocks < 1 || options.max_batch_tokens < 1 || options.max_batch_asks < 1) {
    return fail(Code::invalid_argument, "a runner needs at least one KV block, row and ask");
  }
  // The pool first: the largest wish is refused before work is spent on packing.
  const KvType kv_type = HYMT_TRY(kv_type_named(options.kv_type));
  KvCache kv = HYMT_TRY(KvCache::allocate(config, kv_type, options.n_blocks));
  if (options.commit_memory) kv.commit();
  PackedWeights weights = HYMT_TRY(pack_weights(model, pool));
  Activations activations =
      HYMT_TRY(Activations::allocate(config, weights, options.max_batch_tokens, pool.size()));
  Answers answers = HYMT_TRY(Answers::allocate(config.n_vocab, limits, pool.size()));
  if (options.commit_memory) answers.commit();
  return std::make_unique<CpuRunner>(config, limits, kernels, pool, std::move(weights),
                                     std::move(kv), std::move(activations), std::move(answers),
                                     options.profile);
}

}  // namespace hymt::cpu
