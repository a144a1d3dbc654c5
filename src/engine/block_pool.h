// Which KV blocks are in use, and by how many.
//
// Knows numbers only: not what a block holds, who holds it, or where its memory lies. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace hymt::engine {

using Block = int32_t;

class BlockPool {
 public:
  explicit BlockPool(int n_blocks);

  int size() const { return static_cast<int>(references_.size()); }
  int free_count() const { return static_cast<int>(free_.size()); }
  int references(Block block) const { return references_[static_cast<size_t>(block)]; }

  // A block with one reference; there must be a free one.
  Block allocate();
  void retain(Block block);
  void release(Block block);  // free again with its last reference

 private:
  std::vector<int> references_;  // [n_blocks]
  std::vector<Block> free_;      // last released, first reused: likely still in a cache
};

}  // namespace hymt::engine
