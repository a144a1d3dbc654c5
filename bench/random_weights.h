// Rows of normally distributed weights in a stored type, made as fast as a disk takes them.
#pragma once

#include <cstdint>
#include <vector>

#include "checkpoint/dtype.h"

namespace hymt::bench {

// Turns random bits into stored weights through a table: one look-up of 16 bits gives one or two
// weights. A block of Q8_0 or Q4_0 gets a step of its own and codes around zero; no float is
// rounded. Immutable after construction; any thread.
class RandomRows {
 public:
  // Weights of this mean and standard deviation.
  RandomRows(checkpoint::DType type, double mean, double deviation);

  // Row number `row` of the tensor that `seed` stands for: n elements, a multiple of the block.
  void fill(uint64_t seed, int64_t row, int64_t n, std::byte* out) const;

 private:
  void fill_blocks(uint64_t seed, int64_t row, int64_t n, std::byte* out) const;

  checkpoint::DType type_;
  double deviation_;
  std::vector<uint32_t> table_;  // [2^16] the bytes of a weight, or of two codes
};

}  // namespace hymt::bench
