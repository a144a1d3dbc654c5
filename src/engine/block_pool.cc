#include "engine/block_pool.h"

#include "base/check.h"

namespace hymt::engine {

BlockPool::BlockPool(int n_blocks) : references_(static_cast<size_t>(n_blocks), 0) {
  free_.reserve(references_.size());
  for (Block block = n_blocks - 1; block >= 0; --block) free_.push_back(block);
}

Block BlockPool::allocate() {
  HYMT_CHECK(!free_.empty());
  const Block block = free_.back();
  free_.pop_back();
  references_[static_cast<size_t>(block)] = 1;
  return block;
}

void BlockPool::retain(Block block) {
  HYMT_CHECK(references_[static_cast<size_t>(block)] > 0);
  ++references_[static_cast<size_t>(block)];
}

void BlockPool::release(Block block) {
  int& references = references_[static_cast<size_t>(block)];
  HYMT_CHECK(references > 0);
  if (--references == 0) free_.push_back(block);
}

}  // namespace hymt::engine
