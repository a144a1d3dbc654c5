#include "tokenizer/merge_table.h"

#include <unordered_set>

#include "base/quote.h"

namespace hymt::tokenizer {
namespace {

// Cutting a token of n bytes everywhere costs n² steps; the longest published one has 128.
constexpr size_t kLongestRanked = 512;

Error bad_merge(const Vocabulary& vocabulary, size_t i, const std::string& what) {
  return {Code::invalid_argument, vocabulary.source + ": merge " + std::to_string(i) + ": " + what,
          "merges"};
}

}  // namespace

TokenIndex index_tokens(const Vocabulary& vocabulary) {
  TokenIndex index;
  index.reserve(vocabulary.tokens.size());
  for (size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    if (vocabulary.kinds[id] == TokenKind::normal && !vocabulary.tokens[id].empty()) {
      index.emplace(vocabulary.tokens[id], static_cast<Token>(id));
    }
  }
  return index;
}

MergeTable::MergeTable() : slots_(1024), mask_(1023) {}

void MergeTable::insert(Token left, Token right, Merge merge) {
  if (size_ * 2 >= slots_.size()) grow();
  size_t slot = slot_of(key(left, right));
  while (slots_[slot].key != kEmpty) {
    if (slots_[slot].key == key(left, right)) return;
    slot = (slot + 1) & mask_;
  }
  slots_[slot] = {key(left, right), merge};
  ++size_;
}

void MergeTable::grow() {
  std::vector<Slot> old(slots_.size() * 2);
  old.swap(slots_);
  mask_ = slots_.size() - 1;
  for (const Slot& one : old) {
    if (one.key == kEmpty) continue;
    size_t slot = slot_of(one.key);
    while (slots_[slot].key != kEmpty) slot = (slot + 1) & mask_;
    slots_[slot] = one;
  }
}

Result<MergeTable> MergeTable::build(const Vocabulary& vocabulary, const TokenIndex& index) {
  MergeTable table;
  const auto find = [&](std::string_view bytes) {
    const auto at = index.find(bytes);
    return at == index.end() ? Token{-1} : at->second;
  };

  std::unordered_set<std::string_view> specials;
  for (size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    if (vocabulary.kinds[id] != TokenKind::normal) specials.insert(vocabulary.tokens[id]);
  }

  for (size_t i = 0; i < vocabulary.merges.size(); ++i) {
    const auto [left, right] = vocabulary.merges[i];
    const auto n = static_cast<Token>(vocabulary.tokens.size());
    if (left < 0 || left >= n || right < 0 || right >= n) {
      return tl::unexpected(bad_merge(vocabulary, i,
                                      "token " +
                                          std::to_string(left < 0 || left >= n ? left : right) +
                                          " is not in the vocabulary"));
    }
    const std::string whole = vocabulary.tokens[static_cast<size_t>(left)] +
                              vocabulary.tokens[static_cast<size_t>(right)];
    if (const Token merged = find(whole); merged >= 0) {
      table.insert(left, right, {static_cast<uint32_t>(i), merged});
    } else if (!specials.contains(whole)) {
      return tl::unexpected(
          bad_merge(vocabulary, i, in_quotes(whole) + " is not in the vocabulary"));
    }
  }
  if (!vocabulary.merges.empty()) return table;

  for (size_t id = 0; id < vocabulary.tokens.size(); ++id) {
    const std::string_view whole = vocabulary.tokens[id];
    if (vocabulary.kinds[id] != TokenKind::normal || find(whole) != static_cast<Token>(id))
      continue;
    if (whole.size() > kLongestRanked) {
      return fail(Code::invalid_argument, vocabulary.source + ": token " + std::to_string(id) +
                                              " has " + std::to_string(whole.size()) +
                                              " bytes; a rank-based vocabulary may have " +
                                              std::to_string(kLongestRanked));
    }
    for (size_t cut = 1; cut < whole.size(); ++cut) {
      const Token left = find(whole.substr(0, cut));
      if (left < 0) continue;
      const Token right = find(whole.substr(cut));
      if (right < 0) continue;
      table.insert(left, right, {static_cast<uint32_t>(id), static_cast<Token>(id)});
    }
  }
  return table;
}

}  // namespace hymt::tokenizer
