// The KV blocks of sequences: taken, shared, copied and given back.
//
// Puts BlockPool (how many) and PrefixCache (what is computed already) to use, and tells the runner
// what to copy. Every sequence alone holds the block it writes to. One thread.
#pragma once

#include <span>
#include <vector>

#include "engine/block_pool.h"
#include "engine/group.h"
#include "engine/prefix_cache.h"
#include "model/runner.h"

namespace hymt::engine {

class BlockManager {
 public:
  BlockManager(model::Runner& runner, bool share_prefixes);

  int size() const { return pool_.size(); }
  int block_tokens() const { return block_tokens_; }
  // Blocks that can be taken now: free, or held by nobody but the cache.
  int available() const { return pool_.free_count() + pool_.idle_count(); }

  // What a sequence without blocks would find computed; at least one token is left to compute.
  PrefixMatch find_prefix(const Sequence& sequence);
  // Takes it: full blocks by reference, the rest as a copy.
  void take_prefix(Sequence& sequence);

  // Blocks for positions below n_tokens; they must be available.
  void extend(Sequence& sequence, int n_tokens);
  // What the sequence has computed can be found from now on.
  void remember(Sequence& sequence);
  void release(Sequence& sequence);

  // A second sequence with the same tokens. If no block is available for what it must hold alone,
  // it computes the last few tokens anew.
  Sequence fork(const Sequence& parent);

  // Blocks that become available if the group gives up its own after those who have given up
  // `given_up` [size()] references of each block; its own are added to that.
  int frees(const Group& group, std::vector<int>& given_up) const;

 private:
  bool try_allocate(Block& block);

  model::Runner& runner_;
  const int block_tokens_;
  const bool share_prefixes_;
  BlockPool pool_;
  PrefixCache cache_;
  std::vector<Block> scratch_;
};

}  // namespace hymt::engine
