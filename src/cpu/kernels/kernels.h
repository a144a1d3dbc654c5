// The table of kernels: everything in the forward pass that loops over elements.
//
// One table an instruction set, filled once at start (dispatch.h). What a slot computes is
// written for reading in scalar/, which is its specification and the tests' oracle.
//
// The promise of every slot: a row's result depends on that row alone. The order in which its
// terms are added is fixed, the same for one row and for many, for any range of panels, whatever
// lies in the neighbouring rows.
//
// Slots are called from several threads at once; they keep no state.
#pragma once

#include "cpu/kernels/panels.h"

namespace hymt::cpu {

// Rows of input, in the forms that weight formats want; a form nobody reads may be null.
struct InputRows {
  int n_rows;
  int n_columns;
  // For q4 and q8: blocks of 32 with x = scale * quant. `starts` is what a sum of
  // (unsigned weight) * (signed quant) starts from to undo the weights' offset: minus the offset
  // times the sum of the block's quants.
  const int8_t* quants;      // [n_rows][n_columns]
  const float* scales;       // [n_rows][n_columns / 32]
  const int32_t* starts_q4;  // [n_rows][n_columns / 32], offset 8
  const int32_t* starts_q8;  // [n_rows][n_columns / 32], offset 128
  const uint16_t* bf16;      // [n_rows][n_columns rounded up to even], the padding zero
  const float* f32;          // [n_rows][n_columns]
};

// What becomes of a product.
enum class Epilogue : uint8_t {
  store,   // y = product
  add,     // y += product
  swiglu,  // pairs of panels are (gate, up): y = silu(gate) * up, 16 columns a pair; whole pairs
           // only
};

struct OutputRows {
  float* y;       // row 0, at the column of the first panel (swiglu: of the first pair)
  size_t stride;  // floats from row to row
  Epilogue epilogue;
};

// What keys and values are kept as.
enum class KvType : uint8_t {
  f16,
  q8_0,  // 8 bits and, for each token and head, a scale of its K and one of its V
};
constexpr int kKvTypes = 2;

// One tile of attention: consecutive rows of one sequence, the query heads that share one K/V head.
//
// K and V of one head and block of 16 tokens: K [d_head][16 tokens], then V [16 tokens][d_padded];
// d_padded is d_head rounded up to 16. K is transposed so that a load brings 16 tokens; what it
// holds past the sequence's end is never used. With q8_0, behind K and behind V lie their tokens'
// scales, f32 [16].
struct AttentionTile {
  const float* q;   // row 0, head 0 of the group, already scaled; heads are d_head apart
  size_t q_stride;  // floats from row to row
  float* out;       // same arrangement
  size_t out_stride;
  int n_rows;     // n_rows * group is at most kMaxTileQueries, unless n_rows is 1
  int group;      // query heads
  int n_visible;  // tokens that row 0 sees; each later row sees one more
  int d_head;
  const uint8_t* kv;      // this K/V head in block 0 of this layer
  size_t block_stride;    // bytes from block to block
  const int32_t* blocks;  // of the sequence, in order
  const uint8_t* next;    // K that is likely to be read after this tile, or null
  float* scratch;         // attention_scratch(group, d_head) floats, 64-byte aligned
};

constexpr int kMaxTileQueries = 16;
constexpr int kBlockTokens = 16;
// The softmax streams over chunks of so many tokens, merged in order: the same for prefill and
// decode.
constexpr int kChunkTokens = 64;

struct Kernels {
  const char* name;

  // y[row][16 * (p - first) + r] = sum over columns of panel p's row r times input row, for the
  // panels [first, last). `scratch` is multiply_scratch(n_columns) bytes, 64-byte aligned.
  //   q4, q8: per block of 32, exact in integers, then (float)sum * (weight scale * input scale)
  //           added in fp32, blocks in order;
  //   bf16:   products of bf16 summed in fp32; f32: the same of floats.
  void (*multiply[kFormats])(const Panels& weights, int first, int last, const InputRows& x,
                             const OutputRows& out, void* scratch);

  // The instruction set's own limit for a format's products: `rounds` times some multiply-adds of
  // the kind that `multiply` is made of, on registers alone. How many operations that was, two a
  // multiply-add.
  double (*peak[kFormats])(int64_t rounds);

  // Per block of 32: scale = absmax / 127, quants rounded to nearest even. All tables give the
  // same bits. starts_*: see InputRows.
  void (*quantize)(const float* x, int n, int8_t* quants, float* scales, int32_t* starts_q4,
                   int32_t* starts_q8);
  void (*to_bf16)(const float* x, int n, uint16_t* out);  // round to nearest even
  void (*to_f16)(const float* x, int n, uint16_t* out);   // round to nearest even
  // out = x / scale, rounded to nearest even; returns scale = absmax / 127. The same bits in all
  // tables.
  float (*to_int8)(const float* x, int n, int8_t* out);

  // out = weight * x / sqrt(mean(x^2) + epsilon)
  void (*rms_norm)(const float* x, const float* weight, int n, float epsilon, float* out);

  // One head: rotate by halves (x[i], x[i + d/2]) with rotation [d_head] = cosines, then sines;
  // then rms_norm with `weight`, then times `scale`. out may be x.
  void (*rotate_and_norm)(const float* x, const float* rotation, const float* weight, int d_head,
                          float epsilon, float scale, float* out);

  void (*attend[kKvTypes])(const AttentionTile& tile);

  // The first index of the greatest value; 0 if all are -infinity or NaN.
  int (*arg_max)(const float* x, int n);
  // Sum of exp(x - max) over values that are at most max.
  float (*sum_exp)(const float* x, int n, float max);
};

// Sizes of the scratch memory that a worker hands to the slots.
size_t multiply_scratch(int n_columns);           // bytes
size_t attention_scratch(int group, int d_head);  // floats

}  // namespace hymt::cpu
