#include "cpu/graph/parallel.h"

#include <gtest/gtest.h>

#include <thread>
#include <vector>

namespace hymt::cpu::test {
namespace {

// How often each of `count` things was done; ranges begin at whole grains, and end there or at the
// end.
std::vector<int> times_done(int n_workers, int count, int grain, int64_t work) {
  ThreadPool pool(n_workers);
  SharedRanges ranges(n_workers);
  std::vector<std::atomic<int>> done(static_cast<size_t>(count));
  for (int round = 0; round < 3; ++round) {
    ranges.run(pool, count, grain, work, [&](int begin, int end, int worker) {
      EXPECT_LT(worker, n_workers);
      EXPECT_EQ(begin % grain, 0);
      EXPECT_TRUE(end % grain == 0 || end == count) << end;
      for (int i = begin; i < end; ++i) done[static_cast<size_t>(i)].fetch_add(1);
      // One of them is slow, so that the others take pieces of its part.
      if (worker == 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
    });
  }
  return {done.begin(), done.end()};
}

TEST(SharedRanges, CoverEverythingOnce) {
  for (const int n_workers : {1, 2, 3, 7}) {
    for (const int count : {1, 2, 5, 32, 33, 192, 235}) {
      for (const int grain : {1, 2}) {
        for (const int64_t work : {int64_t{1}, 2 * kWorthSharing}) {
          ASSERT_EQ(times_done(n_workers, count, grain, work),
                    std::vector<int>(static_cast<size_t>(count), 3))
              << n_workers << " workers, " << count << " by " << grain;
        }
      }
    }
  }
}

}  // namespace
}  // namespace hymt::cpu::test
