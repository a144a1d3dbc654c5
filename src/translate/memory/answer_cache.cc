#include "translate/memory/answer_cache.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstring>

namespace hymt::translate::memory {
namespace {

constexpr size_t kBlocksPerSlot = 4;  // about what an entry takes

}  // namespace

AnswerCache::AnswerCache(size_t bytes, uint64_t seed) : seed_(seed) {
  // Blocks, and one index of the table for four of them, rounded down to a power of two.
  const size_t n = std::min<size_t>(
      bytes * kBlocksPerSlot / (kBlocksPerSlot * sizeof(Block) + sizeof(Index)), kNone - 1);
  if (n == 0) return;
  blocks_.resize(n);
  table_.assign(std::bit_floor(std::max<size_t>(1, n / kBlocksPerSlot)), kNone);
  for (size_t i = 0; i < n; ++i)
    blocks_[i].rest.next = i + 1 < n ? static_cast<Index>(i + 1) : kNone;
  free_ = 0;
  n_free_ = n;
}

uint64_t AnswerCache::hash_of(std::string_view key) const {
  return XXH3_64bits_withSeed(key.data(), key.size(), seed_);
}

size_t AnswerCache::blocks_for(size_t bytes) {
  constexpr size_t kFirst = sizeof(First::bytes), kRest = sizeof(Rest::bytes);
  return bytes <= kFirst ? 1 : 1 + (bytes - kFirst + kRest - 1) / kRest;
}

template <class Visit>
void AnswerCache::visit(Index at, size_t from, size_t n, Visit visit) {
  char* bytes = blocks_[at].first.bytes;
  size_t capacity = sizeof(First::bytes);
  for (size_t done = 0; done < n;) {
    if (from < capacity) {
      const size_t piece = std::min(capacity - from, n - done);
      if (!visit(done, bytes + from, piece)) return;
      done += piece;
      from = capacity;
    }
    from -= capacity;
    at = blocks_[at].rest.next;  // `next` is where both kinds of blocks begin
    if (at == kNone) return;
    bytes = blocks_[at].rest.bytes;
    capacity = sizeof(Rest::bytes);
  }
}

AnswerCache::Index AnswerCache::lookup(std::string_view key, uint64_t hash) {
  for (Index at = slot(hash); at != kNone; at = entry(at).same_slot) {
    if (entry(at).key_size != key.size()) continue;
    bool same = true;
    visit(at, 0, key.size(), [&](size_t offset, const char* bytes, size_t n) {
      return same = std::memcmp(key.data() + offset, bytes, n) == 0;
    });
    if (same) return at;
  }
  return kNone;
}

std::optional<std::string> AnswerCache::find(std::string_view key, Time now) {
  if (blocks_.empty()) return std::nullopt;
  const Index at = lookup(key, hash_of(key));
  if (at == kNone) return std::nullopt;
  if (entry(at).expires <= now.time_since_epoch().count()) {
    remove(at);
    return std::nullopt;
  }
  std::string value(entry(at).value_size, '\0');
  visit(at, key.size(), value.size(), [&](size_t offset, const char* bytes, size_t n) {
    std::memcpy(value.data() + offset, bytes, n);
    return true;
  });
  unlink(at);
  link(at);
  return value;
}

void AnswerCache::put(std::string_view key, std::string_view value, Time expires) {
  const size_t n = blocks_for(key.size() + value.size());
  if (n > blocks_.size() / 8) return;
  const uint64_t hash = hash_of(key);
  if (const Index old = lookup(key, hash); old != kNone) remove(old);
  while (n_free_ < n) {
    remove(oldest_);
    ++evicted_;
  }
  const Index at = take_block();
  First& first = entry(at);
  first.next = kNone;
  first.key_size = static_cast<uint32_t>(key.size());
  first.value_size = static_cast<uint32_t>(value.size());
  first.hash = hash;
  first.expires = expires.time_since_epoch().count();
  Index last = at;
  for (size_t i = 1; i < n; ++i) {
    const Index next = take_block();
    blocks_[next].rest.next = kNone;
    blocks_[last].rest.next = next;
    last = next;
  }
  write(at, key, value);
  first.same_slot = slot(hash);
  slot(hash) = at;
  link(at);
  ++size_;
}

AnswerCache::Index AnswerCache::take_block() {
  const Index at = free_;
  free_ = blocks_[at].rest.next;
  --n_free_;
  return at;
}

void AnswerCache::write(Index at, std::string_view key, std::string_view value) {
  const auto from = [&](std::string_view source, size_t begin) {
    visit(at, begin, source.size(), [&](size_t offset, char* bytes, size_t n) {
      std::memcpy(bytes, source.data() + offset, n);
      return true;
    });
  };
  from(key, 0);
  from(value, key.size());
}

void AnswerCache::link(Index at) {
  entry(at).older = newest_;
  entry(at).newer = kNone;
  (newest_ == kNone ? oldest_ : entry(newest_).newer) = at;
  newest_ = at;
}

void AnswerCache::unlink(Index at) {
  const First& first = entry(at);
  (first.newer == kNone ? newest_ : entry(first.newer).older) = first.older;
  (first.older == kNone ? oldest_ : entry(first.older).newer) = first.newer;
}

void AnswerCache::remove(Index at) {
  unlink(at);
  Index* place = &slot(entry(at).hash);
  while (*place != at) place = &entry(*place).same_slot;
  *place = entry(at).same_slot;
  Index last = at;
  for (++n_free_; blocks_[last].rest.next != kNone; ++n_free_) last = blocks_[last].rest.next;
  blocks_[last].rest.next = free_;
  free_ = at;
  --size_;
}

}  // namespace hymt::translate::memory
