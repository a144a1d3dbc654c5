// Every run-time buffer of the forward pass, sized once. Nothing is allocated per step.
#pragma once

#include "base/result.h"
#include "cpu/buffer.h"
#include "cpu/kernels/kernels.h"
#include "cpu/weights/packed_weights.h"
#include "model/config.h"

namespace hymt::cpu {

// Which weight formats read a product's input.
struct FormatSet {
  bool q4 = false;
  bool q8 = false;
  bool bf16 = false;
  bool f32 = false;

  bool quants() const { return q4 || q8; }
};
FormatSet formats_of(const PackedMatrix& matrix);

// The input of a product, in the forms its weights want; one at a time is alive.
struct ProductInput {
  Buffer<int8_t> quants;      // [n_tokens, columns]
  Buffer<float> scales;       // [n_tokens, columns / 32]
  Buffer<int32_t> starts_q4;  // [n_tokens, columns / 32]
  Buffer<int32_t> starts_q8;  // [n_tokens, columns / 32]
  Buffer<uint16_t> bf16;      // [n_tokens, columns, rounded up to even]
  Buffer<float> f32;          // [n_tokens, columns]
  InputRows rows = {};        // what lies there now

  // Converts row `row` of the current rows (n_rows, n_columns) into the formats.
  void set_row(const Kernels& kernels, FormatSet formats, int row, const float* x);
};

struct WorkerScratch {
  Buffer<uint8_t> multiply;
  Buffer<float> attention;
  Buffer<float> row;    // [d_model]
  Buffer<uint16_t> kv;  // [2 * n_kv_heads * d_head]
};

struct Activations {
  // Columns are padded to whole panels: *_stride is the distance between rows.
  size_t residual_stride;
  size_t qkv_stride;
  size_t hidden_stride;
  size_t k_column;  // where k starts in a row of qkv; q starts at 0
  size_t v_column;

  Buffer<float> residual;  // [n_tokens, d_model]
  Buffer<float> rotation;  // [n_tokens, d_head] cosines, then sines of each position's angles
  Buffer<float> qkv;       // [n_tokens, q | k | v]; q is rotated, normed and scaled in place
  Buffer<float> attended;  // [n_tokens, n_heads * d_head]
  Buffer<float> hidden;    // [n_tokens, d_ff] silu(gate) * up
  ProductInput input;
  std::vector<WorkerScratch> scratch;  // [workers]

  // For batches of up to max_rows rows.
  static Result<Activations> allocate(const model::Config& config, const PackedWeights& weights,
                                      int max_rows, int n_workers);
};

}  // namespace hymt::cpu
