#include "tokenizer/merger.h"

#include <algorithm>
#include <functional>

#include "base/check.h"

namespace hymt::tokenizer {
namespace {
constexpr uint32_t kNone = UINT32_MAX;
}

void Merger::push(uint32_t left, uint32_t rank_limit) {
  const uint32_t right = parts_[left].next;
  if (right == kNone) return;
  const Merge merge = table_.find(parts_[left].token, parts_[right].token);
  if (merge.rank >= rank_limit) return;
  heap_.push_back(uint64_t{merge.rank} << 32 | left);
  ++steps_;
}

void Merger::merge(std::string_view word, std::vector<Token>& out, uint32_t rank_limit) {
  HYMT_CHECK(word.size() < kNone);
  parts_.clear();
  heap_.clear();
  for (const char byte : word) {
    const auto at = static_cast<uint32_t>(parts_.size());
    parts_.push_back({byte_tokens_[static_cast<uint8_t>(byte)], at == 0 ? kNone : at - 1, at + 1});
  }
  if (parts_.empty()) return;
  parts_.back().next = kNone;

  for (uint32_t at = 0; at < parts_.size(); ++at) push(at, rank_limit);
  std::make_heap(heap_.begin(), heap_.end(), std::greater<>());
  while (!heap_.empty()) {
    std::pop_heap(heap_.begin(), heap_.end(), std::greater<>());
    const uint64_t candidate = heap_.back();
    heap_.pop_back();

    // A candidate is stale once one of its two parts has merged elsewhere. Asking the table again
    // tells, and a pair that came to stand there meanwhile with the same rank is as good.
    const auto left = static_cast<uint32_t>(candidate);
    const uint32_t right = parts_[left].token < 0 ? kNone : parts_[left].next;
    if (right == kNone) continue;
    const Merge merge = table_.find(parts_[left].token, parts_[right].token);
    if (merge.rank != candidate >> 32) continue;

    parts_[left].token = merge.merged;
    parts_[right].token = -1;
    parts_[left].next = parts_[right].next;
    if (parts_[left].next != kNone) parts_[parts_[left].next].previous = left;
    for (const uint32_t changed : {parts_[left].previous, left}) {
      if (changed == kNone) continue;
      const size_t before = heap_.size();
      push(changed, rank_limit);
      if (heap_.size() > before) std::push_heap(heap_.begin(), heap_.end(), std::greater<>());
    }
  }
  for (uint32_t at = 0; at != kNone; at = parts_[at].next) out.push_back(parts_[at].token);
}

}  // namespace hymt::tokenizer
