#include "base/result.h"

#include <gtest/gtest.h>

#include <memory>

namespace hymt::test {
namespace {

Result<int> half(int n) {
  if (n % 2 != 0) return fail(Code::invalid_argument, "odd: pass an even number", "n");
  return n / 2;
}

Result<int> quarter(int n) {
  return HYMT_TRY(half(HYMT_TRY(half(n))));
}

TEST(Try, GivesTheValueOrReturnsTheError) {
  EXPECT_EQ(quarter(12), 3);
  const auto error = quarter(6);
  ASSERT_FALSE(error);
  EXPECT_EQ(error.error().field, "n");
}

TEST(Try, MovesTheValueOut) {
  const auto unwrap = []() -> Result<std::unique_ptr<int>> {
    Result<std::unique_ptr<int>> made = std::make_unique<int>(5);
    return HYMT_TRY(std::move(made));
  };
  EXPECT_EQ(**unwrap(), 5);
}

}  // namespace
}  // namespace hymt::test
