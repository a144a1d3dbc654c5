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

  // One of a block's references can be a cache's, which gives it up on demand. A block that has no
  // other is idle: as good as free.
  bool cached(Block block) const { return cached_[static_cast<size_t>(block)]; }
  void set_cached(Block block, bool cached);
  bool idle(Block block) const { return cached(block) && references(block) == 1; }
  int idle_count() const { return idle_count_; }

 private:
  void change(Block block, int references);

  std::vector<int> references_;  // [n_blocks]
  std::vector<bool> cached_;     // [n_blocks]
  std::vector<Block> free_;      // last released, first reused: likely still in a cache
  int idle_count_ = 0;
};

}  // namespace hymt::engine
