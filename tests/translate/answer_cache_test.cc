#include "translate/memory/answer_cache.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <list>
#include <random>

namespace hymt::translate::memory {
namespace {

const Time kNow{};
const Time kLater = kNow + std::chrono::hours(1);

std::string key(int i) {
  return "key " + std::to_string(i);
}

TEST(AnswerCache, FindsWhatWasPut) {
  AnswerCache cache(100'000);
  // Sizes around those of blocks, the values empty or not.
  for (const int n : {0, 1, 80, 87, 88, 89, 100, 211, 212, 213, 400, 2000}) {
    const std::string value(static_cast<size_t>(n), static_cast<char>('a' + n % 26));
    cache.put(key(n), value, kLater);
    EXPECT_EQ(cache.find(key(n), kNow), value);
    cache.put(std::string(static_cast<size_t>(n), 'k'), "short", kLater);
    EXPECT_EQ(cache.find(std::string(static_cast<size_t>(n), 'k'), kNow), "short");
  }
  EXPECT_EQ(cache.find("key", kNow), std::nullopt);
  EXPECT_EQ(cache.size(), 24u);
}

TEST(AnswerCache, KeysAreComparedInFull) {
  AnswerCache cache(1'000'000);
  const std::string same(500, 'x');
  for (size_t at = 0; at < same.size(); at += 7) {
    std::string other = same;
    other[at] = 'y';
    cache.put(other, std::to_string(at), kLater);
  }
  EXPECT_EQ(cache.find(same, kNow), std::nullopt);
  for (size_t at = 0; at < same.size(); at += 7) {
    std::string other = same;
    other[at] = 'y';
    EXPECT_EQ(cache.find(other, kNow), std::to_string(at));
  }
  // What belongs to the key and what to the value is told apart.
  cache.put("ab", "c", kLater);
  EXPECT_EQ(cache.find("a", kNow), std::nullopt);
  EXPECT_EQ(cache.find("abc", kNow), std::nullopt);
}

TEST(AnswerCache, AnEntryExpires) {
  AnswerCache cache(10'000);
  cache.put("a", "1", kNow + std::chrono::seconds(10));
  EXPECT_EQ(cache.find("a", kNow + std::chrono::seconds(9)), "1");
  EXPECT_EQ(cache.find("a", kNow + std::chrono::seconds(10)), std::nullopt);
  EXPECT_EQ(cache.size(), 0u);
  EXPECT_EQ(cache.bytes_used(), 0u);
  EXPECT_EQ(cache.evicted(), 0u);
  cache.put("b", "1", kNow + std::chrono::seconds(10));
  cache.put("b", "2", kNow + std::chrono::seconds(30));
  EXPECT_EQ(cache.find("b", kNow + std::chrono::seconds(20)), "2");
  EXPECT_EQ(cache.size(), 1u);
}

TEST(AnswerCache, WhatTakesTooMuchIsNotKept) {
  AnswerCache cache(128 * 64);
  cache.put("a", "1", kLater);
  cache.put("large", std::string(128 * 16, 'x'), kLater);
  EXPECT_EQ(cache.find("large", kNow), std::nullopt);
  EXPECT_EQ(cache.find("a", kNow), "1");
}

TEST(AnswerCache, OfNoMemoryItRemembersNothing) {
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{127}, size_t{200}, size_t{1000}}) {
    AnswerCache cache(bytes);
    cache.put("a", "1", kLater);
    EXPECT_EQ(cache.find("a", kNow), std::nullopt);
    EXPECT_LE(cache.bytes(), bytes);
  }
}

TEST(AnswerCache, TakesTheMemoryThatItWasGivenAndNoMore) {
  for (size_t bytes = 4096; bytes < 10'000'000; bytes = bytes * 3 + 1) {
    AnswerCache cache(bytes);
    EXPECT_LE(cache.bytes(), bytes);
    EXPECT_GT(cache.bytes(), bytes * 95 / 100);
    for (int i = 0; i < 1000; ++i) {
      cache.put(key(i), std::string(static_cast<size_t>(i % 300), 'v'), kLater);
      EXPECT_LE(cache.bytes_used(), cache.bytes());
    }
  }
}

// Against a list that is searched from end to end.
class Model {
 public:
  explicit Model(size_t blocks) : blocks_(blocks) {}
  std::optional<std::string> find(const std::string& wanted) {
    const auto at = std::find_if(entries_.begin(), entries_.end(),
                                 [&](const auto& entry) { return entry.first == wanted; });
    if (at == entries_.end()) return std::nullopt;
    entries_.splice(entries_.begin(), entries_, at);
    return at->second;
  }
  void put(const std::string& name, const std::string& value) {
    if (size_of(name, value) > blocks_ / 8) return;
    entries_.remove_if([&](const auto& entry) { return entry.first == name; });
    while (used() + size_of(name, value) > blocks_) entries_.pop_back();
    entries_.emplace_front(name, value);
  }
  size_t size() const { return entries_.size(); }

 private:
  // 88 bytes in the first block of an entry, 124 in each of the others.
  static size_t size_of(const std::string& name, const std::string& value) {
    size_t n = 1;
    for (size_t room = 88; room < name.size() + value.size(); room += 124) ++n;
    return n;
  }
  size_t used() const {
    size_t sum = 0;
    for (const auto& [name, value] : entries_) sum += size_of(name, value);
    return sum;
  }
  const size_t blocks_;
  std::list<std::pair<std::string, std::string>> entries_;
};

TEST(AnswerCache, ForgetsTheLeastRecentlyUsed) {
  std::mt19937 random(7);
  for (const uint64_t seed : {0, 1}) {
    AnswerCache cache(64 * 129, seed);
    Model model((cache.bytes() / 128));
    for (int i = 0; i < 50'000; ++i) {
      const std::string name = key(static_cast<int>(random() % 60));
      if (random() % 2) {
        ASSERT_EQ(cache.find(name, kNow), model.find(name)) << i;
      } else {
        const std::string value(random() % 700, static_cast<char>('a' + random() % 26));
        cache.put(name, value, kLater);
        model.put(name, value);
      }
      ASSERT_EQ(cache.size(), model.size()) << i;
    }
    EXPECT_GT(cache.evicted(), 1000u);
  }
}

}  // namespace
}  // namespace hymt::translate::memory
