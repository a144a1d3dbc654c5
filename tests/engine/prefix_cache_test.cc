#include "engine/prefix_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <numeric>
#include <random>

namespace hymt::engine {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

constexpr int kBlock = 4;

class PrefixCacheTest : public testing::Test {
 protected:
  // A sequence that computed these tokens itself: its blocks, known to the cache from now on.
  std::vector<Block> compute(const std::vector<Token>& tokens) {
    std::vector<Block> blocks;
    for (size_t i = 0; i < tokens.size(); i += kBlock) blocks.push_back(pool_.allocate());
    cache_.insert(tokens, blocks);
    return blocks;
  }
  void release(const std::vector<Block>& blocks) {
    for (const Block block : blocks) pool_.release(block);
  }

  BlockPool pool_{8};
  PrefixCache cache_{pool_, kBlock};
};

TEST_F(PrefixCacheTest, AnEmptyCacheKnowsNothing) {
  const PrefixMatch match = cache_.match(std::vector<Token>{1, 2, 3});
  EXPECT_THAT(match.blocks, IsEmpty());
  EXPECT_EQ(match.n_partial, 0);
}

TEST_F(PrefixCacheTest, SharesFullBlocksAndCopiesTheTail) {
  const auto blocks = compute({1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const PrefixMatch match = cache_.match(std::vector<Token>{1, 2, 3, 4, 5, 6, 7, 8, 9, 99});
  EXPECT_THAT(match.blocks, ElementsAre(blocks[0], blocks[1]));
  EXPECT_EQ(match.partial, blocks[2]);
  EXPECT_EQ(match.n_partial, 1);
  EXPECT_EQ(match.n_tokens(kBlock), 9);
}

TEST_F(PrefixCacheTest, SharesHeadsShorterThanABlock) {
  compute({1, 2, 3, 4, 5});
  compute({1, 7, 3, 4, 5});
  compute({1, 2, 9, 4, 5});
  EXPECT_EQ(cache_.match(std::vector<Token>{1, 2, 8, 8, 8}).n_partial, 2);
  EXPECT_EQ(cache_.match(std::vector<Token>{1, 2, 3, 8, 8}).n_partial, 3);
  EXPECT_EQ(cache_.match(std::vector<Token>{1, 8}).n_partial, 1);
  EXPECT_EQ(cache_.match(std::vector<Token>{2, 2, 3, 4}).n_partial, 0);
}

TEST_F(PrefixCacheTest, TheSameContentIsKeptOnce) {
  const auto first = compute({1, 2, 3, 4, 5, 6});
  const auto second = compute({1, 2, 3, 4, 7, 8});
  EXPECT_EQ(second[0], first[0]);  // its own block was released
  EXPECT_NE(second[1], first[1]);
  EXPECT_EQ(pool_.free_count(), 8 - 3);
}

TEST_F(PrefixCacheTest, ABlockThatIsWrittenOnIsRememberedWhole) {
  auto blocks = compute({1, 2});
  cache_.insert(std::vector<Token>{1, 2, 3, 4, 5}, (blocks.push_back(pool_.allocate()), blocks));
  EXPECT_EQ(cache_.size(), 2);
  EXPECT_EQ(cache_.match(std::vector<Token>{1, 2, 3, 4, 5, 6}).n_tokens(kBlock), 5);
}

TEST_F(PrefixCacheTest, GivesUpTheLeastRecentlyUsedIdleBlocksLeavesFirst) {
  const auto a = compute({1, 2, 3, 4, 5, 6});
  const auto b = compute({7, 8, 9, 10});
  EXPECT_FALSE(cache_.evict());  // all in use
  EXPECT_EQ(pool_.idle_count(), 0);
  release(a);
  release(b);
  EXPECT_EQ(pool_.idle_count(), 3);
  cache_.match(std::vector<Token>{1, 2, 3, 4, 0});  // a's first block is used again
  EXPECT_TRUE(cache_.evict());
  EXPECT_TRUE(cache_.evict());
  EXPECT_EQ(cache_.match(std::vector<Token>{1, 2, 3, 4, 5}).n_tokens(kBlock), 4);
  EXPECT_EQ(cache_.match(std::vector<Token>{7, 8, 9, 10}).n_tokens(kBlock), 0);
  EXPECT_TRUE(cache_.evict());
  EXPECT_FALSE(cache_.evict());
  EXPECT_EQ(pool_.free_count(), 8);
}

// Random sequences over few tokens, against a list of everything that is computed.
TEST_F(PrefixCacheTest, MatchesWhatALinearSearchFinds) {
  std::mt19937 random(3);
  BlockPool pool(2000);
  PrefixCache cache(pool, kBlock);
  std::vector<std::vector<Token>> known;
  for (int round = 0; round < 300; ++round) {
    std::vector<Token> tokens(1 + random() % 14);
    for (Token& token : tokens) token = static_cast<Token>(random() % 3);
    size_t best = 0;
    for (const auto& one : known) {
      const size_t n = std::min(one.size(), tokens.size());
      const auto at =
          std::mismatch(one.begin(), one.begin() + static_cast<std::ptrdiff_t>(n), tokens.begin());
      best = std::max(best, static_cast<size_t>(at.first - one.begin()));
    }
    EXPECT_EQ(cache.match(tokens).n_tokens(kBlock), static_cast<int>(best));
    std::vector<Block> blocks;
    for (size_t i = 0; i < tokens.size(); i += kBlock) blocks.push_back(pool.allocate());
    cache.insert(tokens, blocks);
    for (const Block block : blocks) pool.release(block);
    known.push_back(tokens);
  }
  while (cache.evict()) {
  }
  EXPECT_EQ(pool.free_count(), 2000);
}

}  // namespace
}  // namespace hymt::engine
