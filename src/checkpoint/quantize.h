// Conversion between stored types: the scalar definition of each block format.
#pragma once

#include <span>
#include <string>

#include "base/result.h"
#include "base/thread_pool.h"
#include "checkpoint/checkpoint.h"

namespace hymt::checkpoint {

// One row of n elements (a multiple of the type's block) to and from float32.
//   Q8_0: 32 weights: f16 d = absmax/127; int8 q; w = d * q
//   Q4_0: 32 weights: f16 d = (signed absmax)/-8; nibbles, low half first; w = d * (q - 8)
void dequantize_row(DType type, const std::byte* row, int64_t n, float* out);
void quantize_row(DType type, const float* row, int64_t n, std::byte* out);

float f16_to_f32(uint16_t bits);
uint16_t f32_to_f16(float value);  // round to nearest even, overflow to infinity
float bf16_to_f32(uint16_t bits);
uint16_t f32_to_bf16(float value);  // round to nearest even, NaN kept

// The checkpoint with its matrices (2-D tensors) in `type`; vectors stay F32. Matrices whose rows
// are no multiple of the block are kept as F16 or better, and named in `kept`.
Result<Checkpoint> quantize(const Checkpoint& checkpoint, DType type, ThreadPool& pool,
                            std::vector<std::string>* kept = nullptr);

}  // namespace hymt::checkpoint
