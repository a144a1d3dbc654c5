#include "engine/block_manager.h"

#include <algorithm>

#include "base/check.h"

namespace hymt::engine {

BlockManager::BlockManager(model::Runner& runner, bool share_prefixes)
    : runner_(runner),
      block_tokens_(runner.limits().block_tokens),
      share_prefixes_(share_prefixes),
      pool_(runner.limits().n_blocks),
      cache_(pool_, block_tokens_) {}

PrefixMatch BlockManager::find_prefix(const Sequence& sequence) {
  if (!share_prefixes_) return {};
  return cache_.match(std::span<const Token>(sequence.tokens).first(sequence.tokens.size() - 1));
}

void BlockManager::take_prefix(Sequence& sequence) {
  HYMT_CHECK(sequence.blocks.empty() && sequence.computed == 0);
  const PrefixMatch match = find_prefix(sequence);
  for (const Block block : match.blocks) {
    pool_.retain(block);
    sequence.blocks.push_back(block);
    sequence.computed += block_tokens_;
  }
  if (match.n_partial == 0) return;
  pool_.retain(match.partial);  // so that making room does not take it
  if (Block block; try_allocate(block)) {
    const model::BlockCopy copy{match.partial, block, match.n_partial};
    runner_.copy_blocks({&copy, 1});
    sequence.blocks.push_back(block);
    sequence.computed += match.n_partial;
  }
  pool_.release(match.partial);
}

void BlockManager::extend(Sequence& sequence, int n_tokens) {
  const auto n_blocks = static_cast<size_t>((n_tokens + block_tokens_ - 1) / block_tokens_);
  while (sequence.blocks.size() < n_blocks) {
    Block block;
    HYMT_CHECK(try_allocate(block));
    sequence.blocks.push_back(block);
  }
}

void BlockManager::remember(Sequence& sequence) {
  if (!share_prefixes_ || sequence.computed == 0) return;
  const auto computed = static_cast<size_t>(sequence.computed);
  cache_.insert(std::span<const Token>(sequence.tokens).first(computed), sequence.blocks);
}

void BlockManager::release(Sequence& sequence) {
  for (const Block block : sequence.blocks) pool_.release(block);
  sequence.blocks.clear();
  sequence.computed = 0;
}

Sequence BlockManager::fork(const Sequence& parent) {
  Sequence child;
  child.tokens.reserve(parent.tokens.capacity());
  child.tokens = parent.tokens;
  child.blocks.reserve(parent.blocks.capacity());
  const int n_full = parent.computed / block_tokens_;
  const int n_partial = parent.computed % block_tokens_;
  for (int i = 0; i < n_full; ++i) {
    pool_.retain(parent.blocks[static_cast<size_t>(i)]);
    child.blocks.push_back(parent.blocks[static_cast<size_t>(i)]);
  }
  child.computed = n_full * block_tokens_;
  if (Block block; n_partial > 0 && try_allocate(block)) {
    const model::BlockCopy copy{parent.blocks[static_cast<size_t>(n_full)], block, n_partial};
    runner_.copy_blocks({&copy, 1});
    child.blocks.push_back(block);
    child.computed = parent.computed;
  }
  return child;
}

int BlockManager::frees(const Group& group, std::vector<int>& given_up) const {
  int n = 0;
  for (const Sequence& sequence : group.sequences) {
    for (const Block block : sequence.blocks) {
      const int left = pool_.references(block) - ++given_up[static_cast<size_t>(block)];
      if (left == (pool_.cached(block) ? 1 : 0)) ++n;  // nobody but the cache
    }
  }
  return n;
}

bool BlockManager::try_allocate(Block& block) {
  if (pool_.free_count() == 0 && !cache_.evict()) return false;
  block = pool_.allocate();
  return true;
}

}  // namespace hymt::engine
