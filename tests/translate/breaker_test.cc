#include "translate/memory/breaker.h"

#include <gtest/gtest.h>

namespace hymt::translate::memory {
namespace {

using std::chrono::seconds;

class BreakerTest : public testing::Test {
 protected:
  // Tries as often as it may, up to n times; all fail. How often it was let through.
  int fail(int n) {
    int through = 0;
    for (int i = 0; i < n; ++i) {
      if (!breaker_.allow(now_)) continue;
      ++through;
      breaker_.fail(now_);
    }
    return through;
  }
  Breaker breaker_{{3, seconds(1), seconds(4)}};
  Time now_{};
};

TEST_F(BreakerTest, OpensAfterSoManyFailuresInARow) {
  EXPECT_EQ(fail(2), 2);
  EXPECT_FALSE(breaker_.open());
  breaker_.succeed();
  EXPECT_EQ(fail(2), 2);
  EXPECT_FALSE(breaker_.open());
  EXPECT_EQ(fail(10), 1);
  EXPECT_TRUE(breaker_.open());
}

TEST_F(BreakerTest, LetsOneTryAfterAPauseThatDoubles) {
  fail(3);
  for (const int pause : {1, 2, 4, 4}) {
    now_ += seconds(pause) - std::chrono::milliseconds(1);
    EXPECT_EQ(fail(10), 0) << pause;
    now_ += std::chrono::milliseconds(1);
    EXPECT_EQ(fail(10), 1) << pause;
  }
}

TEST_F(BreakerTest, OneAtATimeUntilItsOutcomeIsKnown) {
  fail(3);
  now_ += seconds(1);
  EXPECT_TRUE(breaker_.allow(now_));
  EXPECT_FALSE(breaker_.allow(now_));
  now_ += seconds(100);
  EXPECT_FALSE(breaker_.allow(now_));
  breaker_.succeed();
  EXPECT_FALSE(breaker_.open());
  EXPECT_EQ(fail(10), 3);
  now_ += seconds(1);
  EXPECT_TRUE(breaker_.allow(now_)) << "the pause is the first one again";
}

TEST_F(BreakerTest, StragglersThatFailDoNotLengthenThePause) {
  for (int i = 0; i < 9; ++i) EXPECT_TRUE(breaker_.allow(now_));
  for (int i = 0; i < 9; ++i) breaker_.fail(now_);
  now_ += seconds(1);
  EXPECT_TRUE(breaker_.allow(now_));
}

}  // namespace
}  // namespace hymt::translate::memory
