#include "engine/block_pool.h"

#include "base/check.h"

namespace hymt::engine {

BlockPool::BlockPool(int n_blocks)
    : references_(static_cast<size_t>(n_blocks), 0), cached_(references_.size(), false) {
  free_.reserve(references_.size());
  for (Block block = n_blocks - 1; block >= 0; --block) free_.push_back(block);
}

Block BlockPool::allocate() {
  HYMT_CHECK(!free_.empty());
  const Block block = free_.back();
  free_.pop_back();
  change(block, +1);
  return block;
}

void BlockPool::retain(Block block) {
  HYMT_CHECK(references(block) > 0);
  change(block, +1);
}

void BlockPool::release(Block block) {
  HYMT_CHECK(references(block) > (cached(block) ? 1 : 0));
  change(block, -1);
  if (references(block) == 0) free_.push_back(block);
}

void BlockPool::set_cached(Block block, bool cached) {
  HYMT_CHECK(references(block) > 0);
  idle_count_ -= idle(block);
  cached_[static_cast<size_t>(block)] = cached;
  idle_count_ += idle(block);
}

void BlockPool::change(Block block, int references) {
  idle_count_ -= idle(block);
  references_[static_cast<size_t>(block)] += references;
  idle_count_ += idle(block);
}

}  // namespace hymt::engine
