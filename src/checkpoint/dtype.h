// The element types of stored tensors and their block geometry (GGML's block formats).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace hymt::checkpoint {

enum class DType : uint8_t { f32, f16, bf16, q8_0, q4_0 };

// Elements along a row that share a block, and the block's bytes. 1 and the element's size for
// the plain types.
struct BlockShape {
  int elements;
  int bytes;
};

BlockShape block_shape(DType type);
std::string_view name(DType type);  // "F32", "BF16", "Q8_0"...

// Bytes of a row of n elements; n must be a multiple of the block.
size_t row_bytes(DType type, int64_t n);

}  // namespace hymt::checkpoint
