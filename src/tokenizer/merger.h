// Byte-pair merging of one word: while any two neighbours merge, the pair of the lowest rank does,
// the leftmost of equals first.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "tokenizer/merge_table.h"

namespace hymt::tokenizer {

// Keeps its buffers between words. One thread; the table outlives it.
class Merger {
 public:
  // byte_tokens: the token of each single byte, or -1 for one that valid UTF-8 cannot hold.
  Merger(const MergeTable& table, const std::array<Token, 256>& byte_tokens)
      : table_(table), byte_tokens_(byte_tokens) {}

  // Appends the word's tokens. n log n steps for a word of n bytes. Only merges of a rank below
  // rank_limit are done.
  void merge(std::string_view word, std::vector<Token>& out, uint32_t rank_limit = UINT32_MAX);

  uint64_t steps() const { return steps_; }  // candidates weighed since construction

 private:
  // The word as a linked list of tokens; one that has been merged into its left neighbour has
  // token -1. Positions are those of the first byte.
  struct Part {
    Token token;
    uint32_t previous, next;
  };

  void push(uint32_t left, uint32_t rank_limit);

  const MergeTable& table_;
  const std::array<Token, 256>& byte_tokens_;
  std::vector<Part> parts_;
  std::vector<uint64_t> heap_;  // rank << 32 | position of the left part; smallest on top
  uint64_t steps_ = 0;
};

}  // namespace hymt::tokenizer
