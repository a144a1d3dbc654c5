#include "engine/prefix_cache.h"

#include <algorithm>

#include "base/check.h"

namespace hymt::engine {

// Children are sorted by their tokens, so the one that agrees longest with a text stands beside the
// text's own place.
struct PrefixCache::Node {
  Node* parent = nullptr;
  std::vector<Token> tokens;
  Block block = -1;
  std::map<std::vector<Token>, std::unique_ptr<Node>> children;
  Order::iterator place;
};

namespace {

int common_length(std::span<const Token> a, std::span<const Token> b) {
  const size_t n = std::min(a.size(), b.size());
  return static_cast<int>(
      std::mismatch(a.begin(), a.begin() + static_cast<std::ptrdiff_t>(n), b.begin()).first -
      a.begin());
}

std::vector<Token> to_vector(std::span<const Token> tokens) {
  return {tokens.begin(), tokens.end()};
}

}  // namespace

PrefixCache::PrefixCache(BlockPool& pool, int block_tokens)
    : pool_(pool), block_tokens_(block_tokens), root_(new Node) {}

PrefixCache::~PrefixCache() = default;

PrefixMatch PrefixCache::match(std::span<const Token> tokens) {
  PrefixMatch match;
  const auto full = static_cast<size_t>(block_tokens_);
  Node* node = root_.get();
  for (;;) {
    const auto next = tokens.first(std::min(full, tokens.size()));
    const auto at = node->children.lower_bound(to_vector(next));
    if (next.size() == full && at != node->children.end() &&
        std::equal(next.begin(), next.end(), at->first.begin(), at->first.end())) {
      node = at->second.get();
      match.blocks.push_back(node->block);
      match.n_idle += pool_.idle(node->block);
      tokens = tokens.subspan(full);
      continue;
    }
    Node* nearest = nullptr;
    const auto consider = [&](Node* child) {
      const int n = common_length(next, child->tokens);
      if (n > match.n_partial) match.n_partial = n, match.partial = child->block, nearest = child;
    };
    if (at != node->children.end()) consider(at->second.get());
    if (at != node->children.begin()) consider(std::prev(at)->second.get());
    touch(nearest ? nearest : node);
    return match;
  }
}

void PrefixCache::insert(std::span<const Token> tokens, std::vector<Block>& blocks) {
  Node* node = root_.get();
  for (size_t i = 0; !tokens.empty(); ++i) {
    const auto next = tokens.first(std::min(static_cast<size_t>(block_tokens_), tokens.size()));
    const auto at = node->children.find(to_vector(next));
    const bool is_full = static_cast<int>(next.size()) == block_tokens_;
    if (at == node->children.end()) {
      Node* shorter = pool_.cached(blocks[i]) ? find_beginning(*node, next, blocks[i]) : nullptr;
      node = shorter ? extend(shorter, next) : add(node, next, blocks[i]);
    } else {
      node = at->second.get();
      if (is_full && node->block != blocks[i]) {
        pool_.retain(node->block);
        pool_.release(blocks[i]);
        blocks[i] = node->block;
      }
    }
    if (!is_full) break;
    tokens = tokens.subspan(next.size());
  }
  touch(node);
}

// The child that holds a beginning of `tokens` in this very block: its sequence has written on.
PrefixCache::Node* PrefixCache::find_beginning(const Node& parent, std::span<const Token> tokens,
                                               Block block) {
  for (size_t n = tokens.size() - 1; n > 0; --n) {
    const auto at = parent.children.find(to_vector(tokens.first(n)));
    if (at != parent.children.end() && at->second->block == block) return at->second.get();
  }
  return nullptr;
}

PrefixCache::Node* PrefixCache::extend(Node* node, std::span<const Token> tokens) {
  auto entry = node->parent->children.extract(node->tokens);
  node->tokens = entry.key() = to_vector(tokens);
  node->parent->children.insert(std::move(entry));
  return node;
}

bool PrefixCache::evict() {
  for (Node* node : order_) {
    if (!pool_.idle(node->block)) continue;
    HYMT_CHECK(node->children.empty());
    order_.erase(node->place);
    pool_.set_cached(node->block, false);
    pool_.release(node->block);
    node->parent->children.erase(node->parent->children.find(node->tokens));
    return true;
  }
  return false;
}

void PrefixCache::touch(Node* node) {
  for (; node != root_.get(); node = node->parent) order_.splice(order_.end(), order_, node->place);
}

PrefixCache::Node* PrefixCache::add(Node* parent, std::span<const Token> tokens, Block block) {
  auto node = std::make_unique<Node>();
  node->parent = parent;
  node->tokens = to_vector(tokens);
  node->block = block;
  node->place = order_.insert(order_.end(), node.get());
  pool_.retain(block);
  pool_.set_cached(block, true);
  return (parent->children[node->tokens] = std::move(node)).get();
}

}  // namespace hymt::engine
