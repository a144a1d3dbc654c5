// Which prompt beginnings are already computed: a tree of KV blocks keyed by their tokens.
//
// A node is one block: up to block_tokens tokens that follow its parent's. Only full blocks have
// children. Keys are the tokens themselves, so nothing can be mistaken for something else. A
// prompt shares the full blocks on its path by reference; of the block after those it can copy as
// many tokens as agree (the heads of translation prompts are shorter than a block).
//
// The cache holds one reference to each of its blocks and gives up the least recently used ones
// that no sequence holds. A sequence that holds a node's block holds its ancestors' too (insert
// sees to it), so an idle node has only idle nodes below it. One thread.
#pragma once

#include <list>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "engine/block_pool.h"
#include "engine/request.h"

namespace hymt::engine {

struct PrefixMatch {
  std::vector<Block> blocks;  // full ones, in order
  Block partial = -1;         // a block whose first n_partial tokens agree as well
  int n_partial = 0;
  int n_idle = 0;  // of `blocks`: idle until they are retained

  int n_tokens(int block_tokens) const {
    return static_cast<int>(blocks.size()) * block_tokens + n_partial;
  }
};

class PrefixCache {
 public:
  PrefixCache(BlockPool& pool, int block_tokens);
  ~PrefixCache();

  // The longest computed beginning of `tokens`. Changes nothing but the order of use; the caller
  // retains what it takes before it allocates anything.
  PrefixMatch match(std::span<const Token> tokens);

  // Remembers that `blocks` hold `tokens`. Where a full block with the same path is known already,
  // `blocks` gets that one instead of its own, which is released: equal by construction.
  void insert(std::span<const Token> tokens, std::vector<Block>& blocks);

  // Gives up the least recently used idle block; false if there is none.
  bool evict();

  int size() const { return static_cast<int>(order_.size()); }

 private:
  struct Node;
  using Order = std::list<Node*>;

  void touch(Node* node);  // and its ancestors, which become more recent than it
  static Node* find_beginning(const Node& parent, std::span<const Token> tokens, Block block);
  static Node* extend(Node* node, std::span<const Token> tokens);
  Node* add(Node* parent, std::span<const Token> tokens, Block block);

  BlockPool& pool_;
  const int block_tokens_;
  std::unique_ptr<Node> root_;  // no tokens, no block
  Order order_;                 // least recently used first
};

}  // namespace hymt::engine
