#include "engine/rate_meter.h"

#include <gtest/gtest.h>

namespace hymt::engine {
namespace {

using std::chrono::milliseconds;

TEST(RateMeter, KnowsNothingBeforeTheFirstEvent) {
  const RateMeter meter{Time()};
  EXPECT_EQ(meter.per_second(Time() + milliseconds(500)), 0);
}

TEST(RateMeter, ReadsASteadyRateFromTheBeginning) {
  RateMeter meter{Time()};
  Time now;
  for (int i = 0; i < 5000; ++i) {
    now += milliseconds(20);
    meter.add(1, now);
    if (i > 100) {
      ASSERT_NEAR(meter.per_second(now), 50, 1) << i;
    }
  }
}

TEST(RateMeter, FollowsAChangeAndForgets) {
  RateMeter meter{Time()};
  Time now;
  for (int i = 0; i < 1000; ++i) meter.add(1, now += milliseconds(10));
  for (int i = 0; i < 400; ++i) meter.add(1, now += milliseconds(100));
  EXPECT_NEAR(meter.per_second(now), 10, 2);
  EXPECT_LT(meter.per_second(now + milliseconds(60'000)), 0.1);
}

}  // namespace
}  // namespace hymt::engine
