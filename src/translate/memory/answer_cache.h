// Remembered answers inside the process: least recently used goes first, in memory fixed at start.
//
// One array of blocks of 128 bytes holds all entries. An entry is a chain of blocks, so nothing is
// fragmented and nothing is allocated later, and what it costs is what its blocks cost. Entries
// hang in a hash table by their key and in a list by their last use. Finding, putting and evicting
// take time for the bytes of the entries concerned, however many there are.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"

namespace hymt::translate::memory {

// One thread at a time.
class AnswerCache {
 public:
  // Takes no more than `bytes`, and takes them now; too few for a block: it remembers nothing.
  // `seed` is of the hash, so that nobody can choose texts that fall together.
  explicit AnswerCache(size_t bytes, uint64_t seed = 0);

  // The value, which becomes the last used one; not one that has expired.
  std::optional<std::string> find(std::string_view key, Time now);
  // Replaces an entry of that key, and evicts the least recently used ones as far as need be. What
  // would take more than an eighth of all is not kept.
  void put(std::string_view key, std::string_view value, Time expires);

  size_t size() const { return size_; }
  size_t bytes_used() const { return (blocks_.size() - n_free_) * sizeof(Block); }
  size_t bytes() const { return blocks_.size() * sizeof(Block) + table_.size() * sizeof(Index); }
  uint64_t evicted() const { return evicted_; }  // still valid ones, to make room

 private:
  using Index = uint32_t;  // of a block
  static constexpr Index kNone = UINT32_MAX;

  // The first block of an entry, and its others: key and value lie in them one after the other.
  struct First {
    Index next;
    Index same_slot;  // of the table
    Index newer, older;
    uint32_t key_size, value_size;
    uint64_t hash;
    Time::rep expires;
    char bytes[88];
  };
  struct Rest {
    Index next;
    char bytes[124];
  };
  union Block {
    First first;
    Rest rest;
  };
  static_assert(sizeof(Block) == 128);

  First& entry(Index at) { return blocks_[at].first; }
  Index& slot(uint64_t hash) { return table_[hash & (table_.size() - 1)]; }
  uint64_t hash_of(std::string_view key) const;
  Index lookup(std::string_view key, uint64_t hash);
  static size_t blocks_for(size_t bytes);
  Index take_block();
  void write(Index at, std::string_view key, std::string_view value);
  // Visits the bytes [from, from + n) of an entry as (offset, piece), until it answers false.
  template <class Visit>
  void visit(Index at, size_t from, size_t n, Visit visit);
  void link(Index at);
  void unlink(Index at);
  void remove(Index at);

  const uint64_t seed_;
  std::vector<Block> blocks_;
  std::vector<Index> table_;  // a power of two of them, or none
  Index free_ = kNone;        // a chain of blocks
  size_t n_free_ = 0;
  Index newest_ = kNone, oldest_ = kNone;
  size_t size_ = 0;
  uint64_t evicted_ = 0;
};

}  // namespace hymt::translate::memory
