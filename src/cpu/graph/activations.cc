#include "cpu/graph/activations.h"

#include <algorithm>

namespace hymt::cpu {
namespace {

constexpr const char* kWhat = "the activations of a batch";

size_t whole_panels(int n) {
  return static_cast<size_t>((n + kPanelRows - 1) / kPanelRows) * kPanelRows;
}

FormatSet formats_of(const PackedWeights& weights) {
  FormatSet all;
  const auto add = [&](const PackedMatrix& matrix) {
    const FormatSet set = formats_of(matrix);
    all = {all.q4 || set.q4, all.q8 || set.q8, all.bf16 || set.bf16, all.f32 || set.f32};
  };
  add(weights.embedding);
  if (weights.untied) add(*weights.untied);
  for (const auto& layer : weights.layers) {
    for (const auto* matrix : {&layer.qkv, &layer.o, &layer.gate_up, &layer.down}) add(*matrix);
  }
  return all;
}

Result<ProductInput> allocate_input(FormatSet formats, size_t rows, int columns) {
  const auto width = static_cast<size_t>(columns + 1);
  const size_t blocks = rows * static_cast<size_t>((columns + 31) / 32);
  ProductInput input;
  if (formats.quants()) {
    input.quants = HYMT_TRY(Buffer<int8_t>::zeroed(rows * width, kWhat));
    input.scales = HYMT_TRY(Buffer<float>::zeroed(blocks, kWhat));
    input.starts_q4 = HYMT_TRY(Buffer<int32_t>::zeroed(blocks, kWhat));
    input.starts_q8 = HYMT_TRY(Buffer<int32_t>::zeroed(blocks, kWhat));
  }
  if (formats.bf16) input.bf16 = HYMT_TRY(Buffer<uint16_t>::zeroed(rows * width, kWhat));
  if (formats.f32) input.f32 = HYMT_TRY(Buffer<float>::zeroed(rows * width, kWhat));
  input.rows.quants = input.quants.data();
  input.rows.scales = input.scales.data();
  input.rows.starts_q4 = input.starts_q4.data();
  input.rows.starts_q8 = input.starts_q8.data();
  input.rows.bf16 = input.bf16.data();
  input.rows.f32 = input.f32.data();
  return input;
}

Result<WorkerScratch> allocate_scratch(const model::Config& config, int columns) {
  const int group = config.n_heads / config.n_kv_heads;
  WorkerScratch scratch;
  scratch.multiply = HYMT_TRY(Buffer<uint8_t>::zeroed(multiply_scratch(columns), kWhat));
  scratch.attention =
      HYMT_TRY(Buffer<float>::zeroed(attention_scratch(group, config.d_head), kWhat));
  scratch.row = HYMT_TRY(Buffer<float>::zeroed(static_cast<size_t>(config.d_model), kWhat));
  scratch.kv = HYMT_TRY(Buffer<uint16_t>::zeroed(2 * static_cast<size_t>(config.d_kv()), kWhat));
  return scratch;
}

}  // namespace

FormatSet formats_of(const PackedMatrix& matrix) {
  FormatSet set;
  for (const auto& part : matrix.parts) {
    switch (part.panels().format) {
      case Format::q4:
        set.q4 = true;
        break;
      case Format::q8:
        set.q8 = true;
        break;
      case Format::bf16:
        set.bf16 = true;
        break;
      case Format::f32:
        set.f32 = true;
        break;
    }
  }
  return set;
}

void ProductInput::set_row(const Kernels& kernels, FormatSet formats, int row, const float* x) {
  const auto n = static_cast<size_t>(rows.n_columns);
  const auto r = static_cast<size_t>(row);
  if (formats.quants()) {
    const size_t block = r * (n / kBlockColumns);
    kernels.quantize(x, rows.n_columns, quants.data() + r * n, scales.data() + block,
                     starts_q4.data() + block, starts_q8.data() + block);
  }
  if (formats.bf16) {
    uint16_t* out = bf16.data() + r * ((n + 1) / 2 * 2);
    kernels.to_bf16(x, rows.n_columns, out);
    if (n % 2 != 0) out[n] = 0;
  }
  if (formats.f32) std::copy_n(x, n, f32.data() + r * n);
}

Result<Activations> Activations::allocate(const model::Config& config, const PackedWeights& weights,
                                          int max_rows, int n_workers) {
  const auto rows = static_cast<size_t>(max_rows);
  const int columns = std::max({config.d_model, config.d_query(), config.d_ff});
  Activations a;
  a.residual_stride = whole_panels(config.d_model);
  a.hidden_stride = whole_panels(config.d_ff);
  a.k_column = whole_panels(config.d_query());
  a.v_column = a.k_column + whole_panels(config.d_kv());
  a.qkv_stride = a.v_column + whole_panels(config.d_kv());
  a.residual = HYMT_TRY(Buffer<float>::zeroed(rows * a.residual_stride, kWhat));
  a.rotation = HYMT_TRY(Buffer<float>::zeroed(rows * static_cast<size_t>(config.d_head), kWhat));
  a.qkv = HYMT_TRY(Buffer<float>::zeroed(rows * a.qkv_stride, kWhat));
  a.attended = HYMT_TRY(Buffer<float>::zeroed(rows * static_cast<size_t>(config.d_query()), kWhat));
  a.hidden = HYMT_TRY(Buffer<float>::zeroed(rows * a.hidden_stride, kWhat));
  a.input = HYMT_TRY(allocate_input(formats_of(weights), rows, columns));
  for (int worker = 0; worker < n_workers; ++worker) {
    a.scratch.push_back(HYMT_TRY(allocate_scratch(config, columns)));
  }
  return a;
}

}  // namespace hymt::cpu
