// Which two tokens merge into which, and in what order: one form for merge lists and for ranks.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "tokenizer/vocabulary.h"

namespace hymt::tokenizer {

// The tokens that plain text can become (the normal ones), by their bytes; keys point into the
// vocabulary. Of tokens with the same bytes the first counts.
using TokenIndex = std::unordered_map<std::string_view, Token>;
TokenIndex index_tokens(const Vocabulary& vocabulary);

struct Merge {
  uint32_t rank = UINT32_MAX;  // lower merges first; UINT32_MAX: these two do not merge
  Token merged = -1;
};

// Immutable after build; any thread.
class MergeTable {
 public:
  // From the merges, else (rank-based vocabularies) from every way to cut a token into two others.
  // A merge that would make a special token is left out: plain text never becomes one.
  static Result<MergeTable> build(const Vocabulary& vocabulary, const TokenIndex& index);

  Merge find(Token left, Token right) const {
    for (size_t slot = slot_of(key(left, right));; slot = (slot + 1) & mask_) {
      if (slots_[slot].key == key(left, right)) return slots_[slot].merge;
      if (slots_[slot].key == kEmpty) return {};
    }
  }
  size_t size() const { return size_; }

 private:
  // Open addressing: a look-up is one cache line nearly always, and there are several a byte.
  struct Slot {
    uint64_t key = kEmpty;
    Merge merge;
  };
  static constexpr uint64_t kEmpty = UINT64_MAX;

  MergeTable();
  static uint64_t key(Token left, Token right) {
    return uint64_t{static_cast<uint32_t>(left)} << 32 | static_cast<uint32_t>(right);
  }
  size_t slot_of(uint64_t key) const {
    key *= 0x9E3779B97F4A7C15;
    return static_cast<size_t>(key ^ key >> 32) & mask_;
  }
  void insert(Token left, Token right, Merge merge);  // the first one of a pair counts
  void grow();

  std::vector<Slot> slots_;
  size_t mask_;
  size_t size_ = 0;
};

}  // namespace hymt::tokenizer
