// Runs kernels on fixed data, each once, inside measured(); prints a line for each: its name, and
// how many multiply-adds (or elements) it is for. counted.py counts the instructions.
//
//   kernel_workload         the names of the tables that this machine runs
//   kernel_workload TABLE   all kernels of a table
#include <cstdio>
#include <functional>
#include <numeric>

#include "cpu/kv_cache.h"
#include "cpu/oracle.h"

// Not inlined, and by this name: where Callgrind begins and ends to count.
extern "C" [[gnu::noinline]] void measured(const std::function<void()>& run) {
  run();
  asm volatile("");  // no tail call: the end of run is not this function's
}

namespace hymt::cpu::test {
namespace {

void measure(const std::string& name, double units, const std::function<void()>& run) {
  std::printf("%s %.0f\n", name.c_str(), units);
  measured(run);
}

void measure_products(const Kernels& kernels) {
  constexpr int kOutputs = 64;
  constexpr int kColumns = 512;
  const std::pair<const char*, DType> formats[] = {
      {"q4", DType::q4_0}, {"q8", DType::q8_0}, {"bf16", DType::bf16}, {"f32", DType::f32}};
  ThreadPool pool(1);
  Arena arena;
  auto scratch = std::move(Buffer<uint8_t>::zeroed(multiply_scratch(kColumns), "test").value());
  for (const auto& [name, type] : formats) {
    const Matrix matrix(type, kOutputs, kColumns, random_floats(kOutputs * kColumns, 1));
    std::vector<PackedPanels::Source> sources;
    for (int row = 0; row < kOutputs; row += kPanelRows) sources.push_back({&matrix.tensor, row});
    const PackedPanels packed = PackedPanels::pack(format_of(type), sources, arena, pool).value();
    const Panels& panels = packed.panels();
    for (const int n_rows : {1, 8, 64}) {
      const auto n = static_cast<size_t>(n_rows);
      const Inputs x(kernels, format_of(type), n_rows, kColumns, random_floats(n * kColumns, 2));
      const InputRows rows = x.rows();
      std::vector<float> y(n * kOutputs);
      measure("multiply/" + std::string(name) + "/" + std::to_string(n_rows),
              double{kOutputs} * kColumns * n_rows, [&] {
                kernels.multiply[static_cast<int>(panels.format)](
                    panels, 0, panels.n_panels, rows, {y.data(), kOutputs, Epilogue::store},
                    scratch.data());
              });
    }
  }
}

// The rows' last one sees 200 tokens.
void measure_attention(const Kernels& kernels) {
  constexpr int kHead = 128;
  constexpr int kGroup = 4;
  constexpr int kTokens = 200;
  model::Config config;
  config.n_layers = config.n_heads = config.n_kv_heads = 1;
  config.d_head = kHead;
  const int n_blocks = (kTokens + kBlockTokens - 1) / kBlockTokens;
  KvCache cache = std::move(KvCache::allocate(config, KvType::f16, n_blocks).value());
  std::vector<int32_t> blocks(static_cast<size_t>(n_blocks));
  std::iota(blocks.begin(), blocks.end(), 0);
  std::vector<uint16_t> cache_scratch(2 * kHead);
  for (int t = 0; t < kTokens; ++t) {
    const auto kv = random_floats(kHead, static_cast<uint32_t>(t));
    cache.store(kernels, 0, t / kBlockTokens, t % kBlockTokens, kv.data(), kv.data(),
                cache_scratch.data());
  }
  const std::vector<float> q = random_floats(size_t{4} * kGroup * kHead, 3, 0.1f);
  std::vector<float> out(q.size());
  auto scratch = std::move(Buffer<float>::zeroed(attention_scratch(kGroup, kHead), "test").value());
  for (const int n_rows : {1, 4}) {
    AttentionTile tile = {};
    tile.q = q.data();
    tile.out = out.data();
    tile.q_stride = tile.out_stride = kGroup * kHead;
    tile.n_rows = n_rows;
    tile.group = kGroup;
    tile.n_visible = kTokens - n_rows + 1;
    tile.d_head = kHead;
    tile.kv = cache.head(0, 0);
    tile.block_stride = cache.block_stride();
    tile.blocks = blocks.data();
    tile.scratch = scratch.data();
    measure("attend/" + std::to_string(n_rows), 2.0 * kHead * kGroup * kTokens * n_rows,
            [&] { kernels.attend[static_cast<int>(KvType::f16)](tile); });
  }
}

void measure_rows(const Kernels& kernels) {
  constexpr int n = 2048;
  constexpr int kHead = 128;
  const std::vector<float> x = random_floats(n, 4);
  const std::vector<float> weight = random_floats(n, 5);
  std::vector<float> out(n), scales(n / kBlockColumns);
  std::vector<int8_t> quants(n);
  std::vector<int32_t> q4(n / kBlockColumns), q8(q4);
  std::vector<uint16_t> half(n);
  measure("quantize", n, [&] {
    kernels.quantize(x.data(), n, quants.data(), scales.data(), q4.data(), q8.data());
  });
  measure("to_bf16", n, [&] { kernels.to_bf16(x.data(), n, half.data()); });
  measure("to_f16", n, [&] { kernels.to_f16(x.data(), n, half.data()); });
  measure("rms_norm", n, [&] { kernels.rms_norm(x.data(), weight.data(), n, 1e-5f, out.data()); });
  measure("rotate_and_norm", kHead, [&] {
    kernels.rotate_and_norm(x.data(), weight.data(), weight.data(), kHead, 1e-5f, 1, out.data());
  });
  measure("arg_max", n, [&] { kernels.arg_max(x.data(), n); });
  measure("sum_exp", n, [&] { kernels.sum_exp(x.data(), n, 10); });
}

}  // namespace
}  // namespace hymt::cpu::test

int main(int argc, char** argv) {
  using namespace hymt::cpu;
  if (argc != 2) {
    for (const auto& name : kernel_names()) std::puts(name.c_str());
    return 0;
  }
  const auto kernels = find_kernels(argv[1]);
  if (!kernels) {
    std::fprintf(stderr, "%s\n", kernels.error().message.c_str());
    return 1;
  }
  test::measure_products(*kernels);
  test::measure_attention(*kernels);
  test::measure_rows(*kernels);
  return 0;
}
