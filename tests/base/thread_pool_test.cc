#include "base/thread_pool.h"

#include <gtest/gtest.h>

#include <numeric>

namespace hymt {
namespace {

TEST(ThreadPool, RunsEveryWorkerOncePerRegion) {
  for (const int n : {1, 2, 5}) {
    ThreadPool pool(n);
    std::vector<int> counts(static_cast<size_t>(n), 0);
    for (int i = 0; i < 1000; ++i)
      pool.run([&](int worker) { ++counts[static_cast<size_t>(worker)]; });
    for (const int count : counts) EXPECT_EQ(count, 1000);
  }
}

// A busy service counts through 32 bits within days.
TEST(ThreadPool, LivesOnWhenItsCountOfRegionsRunsOver) {
  for (const uint32_t first : {0x7fff'fff0u, 0xffff'fff0u}) {
    ThreadPool pool(3, first);
    std::atomic<int> sum{0};
    for (int i = 0; i < 40; ++i) pool.run([&](int) { ++sum; });
    EXPECT_EQ(sum, 120);
  }
}

TEST(ThreadPool, WakesAfterSleeping) {
  ThreadPool pool(3);
  std::atomic<int> sum{0};
  pool.run([&](int) { ++sum; });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  pool.run([&](int) { ++sum; });
  EXPECT_EQ(sum, 6);
}

TEST(ThreadPool, CallersTakeTurns) {
  ThreadPool pool(2);
  int unguarded = 0;  // touched by one region at a time
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c) {
    callers.emplace_back([&] {
      for (int i = 0; i < 200; ++i) {
        pool.run([&](int worker) {
          if (worker == 0) ++unguarded;
        });
      }
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(unguarded, 800);
}

TEST(ShareOf, CoversTheRangeOnceInWholeGrains) {
  for (const int count : {0, 1, 15, 16, 17, 1000}) {
    int next = 0;
    for (int worker = 0; worker < 3; ++worker) {
      const Share share = share_of(count, worker, 3, 16);
      EXPECT_EQ(share.begin, next);
      EXPECT_TRUE(share.end == count || share.end % 16 == 0);
      next = share.end;
    }
    EXPECT_EQ(next, count);
  }
}

}  // namespace
}  // namespace hymt
