// Conversion between stored types: the scalar definition of each block format.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/thread_pool.h"
#include "checkpoint/checkpoint.h"
#include "checkpoint/gguf_writer.h"

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

// What quantising comes to: which tensors change, and what the file says of itself.
struct QuantizePlan {
  std::map<std::string, Value> metadata;  // with general.file_type of the new type
  std::vector<TensorPlan> tensors;        // in the checkpoint's order
  std::vector<std::string> kept;          // matrices whose rows are no multiple of the block
};

// Matrices (tensors of two dimensions and more) in `type`; vectors in F32. Matrices whose rows are
// no multiple of the block keep their type, which is a plain one, and are named in `kept`.
QuantizePlan plan_quantize(const Checkpoint& checkpoint, DType type);

// The checkpoint as planned, in memory; what does not change points to the source's memory.
// Parallel over rows. invalid_argument if a weight is not finite or too large for the type.
Result<Checkpoint> quantize(const Checkpoint& checkpoint, DType type, ThreadPool& pool,
                            std::vector<std::string>* kept = nullptr);

// The same straight to a GGUF file, a few megabytes at a time. `progress` hears on the calling
// thread how many bytes of how many have been written. Returns the file's size.
using Progress = std::function<void(uint64_t done, uint64_t total)>;
Result<uint64_t> quantize_to_file(const Checkpoint& checkpoint, const QuantizePlan& plan,
                                  const std::string& path, ThreadPool& pool,
                                  const Progress& progress = {});

}  // namespace hymt::checkpoint
