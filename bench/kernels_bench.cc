// Kernels alone, on one thread, in the shapes of the 1.8B model, beside the machine's own ceilings.
//
//   build/bench/kernels_bench --benchmark_filter='multiply/q4/.*avx512'
//
// Rates are per second of processor time. `of_peak` is the share of the instruction set's peak
// (measured by peak/...: multiply-adds with nothing else), `GB/s` counts the weights' bytes once.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <string>
#include <vector>

#include "base/thread_pool.h"
#include "checkpoint/quantize.h"
#include "cpu/buffer.h"
#include "cpu/cpu_runner.h"
#include "cpu/kernels/dispatch.h"
#include "cpu/kv_cache.h"
#include "cpu/weights/packed_matrix.h"

namespace hymt::cpu {
namespace {

using checkpoint::DType;

struct Shape {
  const char* name;
  int rows;
  int columns;
  Epilogue epilogue;
};
constexpr Shape kShapes[] = {
    {"vocabulary", 120832, 2048, Epilogue::store},  // more than caches hold
    {"qkv", 3072, 2048, Epilogue::store},
    {"gate_up", 12288, 2048, Epilogue::swiglu},
    {"down", 2048, 6144, Epilogue::add}};

// A matrix of random bytes: any bytes are valid codes, and scales are made small and finite.
struct Weights {
  Weights(DType type, const Shape& shape)
      : bytes(checkpoint::row_bytes(type, shape.columns) * static_cast<size_t>(shape.rows)) {
    std::mt19937 random(1);
    for (size_t i = 0; i + 4 <= bytes.size(); i += 4) {
      const uint32_t four = random();
      std::memcpy(bytes.data() + i, &four, 4);
    }
    const size_t block = static_cast<size_t>(checkpoint::block_shape(type).bytes);
    for (size_t i = 1; i < bytes.size(); i += block) bytes[i] = static_cast<std::byte>(0x10);
    tensor = {"bench", type, {shape.rows, shape.columns}, bytes};
    std::vector<PackedPanels::Source> sources;
    for (int row = 0; row < shape.rows; row += kPanelRows) sources.push_back({&tensor, row});
    ThreadPool pool(1);
    Arena arena;
    packed = PackedPanels::pack(format_for(tensor, pool), sources, arena, pool).value();
  }

  std::vector<std::byte> bytes;
  checkpoint::Tensor tensor;
  PackedPanels packed;
};

void bench_multiply(benchmark::State& state, const std::string& table, DType type,
                    const Shape& shape) {
  const Kernels kernels = find_kernels(table).value();
  const Weights weights(type, shape);
  const auto n_rows = static_cast<size_t>(state.range(0));
  const auto columns = static_cast<size_t>(shape.columns);
  const size_t blocks = columns / kBlockColumns;
  std::vector<float> x(columns);
  std::mt19937 random(2);
  std::normal_distribution<float> normal;
  auto quants = Buffer<int8_t>::zeroed(n_rows * columns, "bench").value();
  auto bf16 = Buffer<uint16_t>::zeroed(n_rows * columns, "bench").value();
  std::vector<float> scales(n_rows * blocks);
  std::vector<int32_t> q4(n_rows * blocks), q8(n_rows * blocks);
  for (size_t row = 0; row < n_rows; ++row) {
    for (float& value : x) value = normal(random);
    kernels.quantize(x.data(), shape.columns, quants.data() + row * columns,
                     scales.data() + row * blocks, q4.data() + row * blocks,
                     q8.data() + row * blocks);
    kernels.to_bf16(x.data(), shape.columns, bf16.data() + row * columns);
  }
  const InputRows input = {static_cast<int>(n_rows),
                           shape.columns,
                           quants.data(),
                           scales.data(),
                           q4.data(),
                           q8.data(),
                           bf16.data(),
                           nullptr};
  auto y = Buffer<float>::zeroed(n_rows * static_cast<size_t>(shape.rows), "bench").value();
  auto scratch = Buffer<uint8_t>::zeroed(multiply_scratch(shape.columns), "bench").value();
  const Panels& panels = weights.packed.panels();
  for (auto _ : state) {
    kernels.multiply[static_cast<int>(panels.format)](
        panels, 0, panels.n_panels, input,
        {y.data(), static_cast<size_t>(shape.rows), shape.epilogue}, scratch.data());
    benchmark::ClobberMemory();
  }
  const double passes = static_cast<double>(state.iterations());
  const double products =
      static_cast<double>(shape.rows) * static_cast<double>(columns) * static_cast<double>(n_rows);
  state.counters["Gop/s"] =
      benchmark::Counter(2e-9 * products * passes, benchmark::Counter::kIsRate);
  state.counters["GB/s"] = benchmark::Counter(
      1e-9 * static_cast<double>(weights.packed.bytes()) * passes, benchmark::Counter::kIsRate);
}

// One layer's attention in the 1.8B shape: 16 query heads, 4 K/V heads of 128. `rows` rows that end
// at position `length`: 1 is decoding, more a prefill chunk.
void bench_attention(benchmark::State& state, const std::string& table, KvType type) {
  const Kernels kernels = find_kernels(table).value();
  const auto rows = static_cast<int>(state.range(0));
  const auto length = static_cast<int>(state.range(1));
  model::Config config;
  config.n_layers = 1;
  config.n_heads = 16;
  config.n_kv_heads = 4;
  config.d_head = 128;
  const int n_blocks = (length + kBlockTokens - 1) / kBlockTokens;
  KvCache cache = std::move(KvCache::allocate(config, type, n_blocks)).value();
  std::vector<int32_t> blocks(static_cast<size_t>(n_blocks));
  std::iota(blocks.begin(), blocks.end(), 0);
  std::vector<float> kv(512, 0.3f);
  std::vector<uint16_t> kv_scratch(2048);
  for (int t = 0; t < length; ++t) {
    cache.store(kernels, 0, t / kBlockTokens, t % kBlockTokens, kv.data(), kv.data(),
                kv_scratch.data());
  }
  std::vector<float> q(static_cast<size_t>(rows) * 2048, 0.1f), out(q.size());
  auto scratch = Buffer<float>::zeroed(attention_scratch(4, 128), "bench").value();
  for (auto _ : state) {
    for (int head = 0; head < 4; ++head) {
      for (int row = 0; row < rows; row += 4) {
        const auto at = static_cast<size_t>(row) * 2048 + static_cast<size_t>(head) * 512;
        AttentionTile tile = {};
        tile.q = q.data() + at;
        tile.out = out.data() + at;
        tile.q_stride = tile.out_stride = 2048;
        tile.n_rows = std::min(4, rows - row);
        tile.group = 4;
        tile.n_visible = length - rows + row + 1;
        tile.d_head = 128;
        tile.kv = cache.head(0, head);
        tile.block_stride = cache.block_stride();
        tile.blocks = blocks.data();
        tile.scratch = scratch.data();
        kernels.attend[static_cast<int>(type)](tile);
      }
    }
  }
  const double pairs = static_cast<double>(rows) * (length - rows / 2.0);
  state.counters["Gop/s"] =
      benchmark::Counter(1e-9 * pairs * 16 * 128 * 4 * static_cast<double>(state.iterations()),
                         benchmark::Counter::kIsRate);
}

void bench_rows(benchmark::State& state, const std::string& table, const std::string& what) {
  const Kernels kernels = find_kernels(table).value();
  const int n = 2048;
  std::vector<float> x(n, 0.5f), weight(n, 1.0f), out(n), scales(n);
  std::vector<int8_t> quants(n);
  std::vector<int32_t> q4(n), q8(n);
  std::vector<uint16_t> half(n);
  for (auto _ : state) {
    if (what == "rms_norm") kernels.rms_norm(x.data(), weight.data(), n, 1e-5f, out.data());
    if (what == "quantize") {
      kernels.quantize(x.data(), n, quants.data(), scales.data(), q4.data(), q8.data());
    }
    if (what == "to_bf16") kernels.to_bf16(x.data(), n, half.data());
    if (what == "sum_exp") benchmark::DoNotOptimize(kernels.sum_exp(x.data(), n, 1));
    if (what == "arg_max") benchmark::DoNotOptimize(kernels.arg_max(x.data(), n));
    benchmark::ClobberMemory();
  }
  state.counters["ns/1k"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * n * 1e-12,
                         benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// What sharing work out costs: a region in which nothing is done.
void bench_pool(benchmark::State& state) {
  ThreadPool pool(static_cast<int>(state.range(0)));
  for (auto _ : state) pool.run([](int) {});
}

void add_benchmarks() {
  benchmark::RegisterBenchmark("pool/run", bench_pool)->Arg(2)->UseRealTime();
  const std::pair<const char*, DType> types[] = {
      {"q4", DType::q4_0}, {"q8", DType::q8_0}, {"bf16", DType::bf16}};
  for (const std::string& table : kernel_names()) {
    for (const auto& [type_name, type] : types) {
      for (const Shape& shape : kShapes) {
        const std::string name =
            std::string("multiply/") + type_name + "/" + shape.name + "/" + table;
        const DType t = type;
        auto* bench = benchmark::RegisterBenchmark(
            name.c_str(), [=](benchmark::State& s) { bench_multiply(s, table, t, shape); });
        for (const int rows : {1, 2, 4, 6, 8, 16, 32, 64, 512}) bench->Arg(rows);
      }
    }
    for (const auto& [name, type] :
         {std::pair{"f16/", KvType::f16}, std::pair{"q8_0/", KvType::q8_0}}) {
      const KvType t = type;
      benchmark::RegisterBenchmark((std::string("attention/") + name + table).c_str(),
                                   [=](benchmark::State& s) { bench_attention(s, table, t); })
          ->Args({1, 64})
          ->Args({1, 512})
          ->Args({1, 4096})
          ->Args({512, 512})
          ->Args({512, 4096});
    }
    for (const char* what : {"rms_norm", "quantize", "to_bf16", "sum_exp", "arg_max"}) {
      benchmark::RegisterBenchmark((std::string("rows/") + what + "/" + table).c_str(),
                                   [=](benchmark::State& s) { bench_rows(s, table, what); });
    }
  }
}

}  // namespace
}  // namespace hymt::cpu

int main(int argc, char** argv) {
  hymt::cpu::add_benchmarks();
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 1;
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
