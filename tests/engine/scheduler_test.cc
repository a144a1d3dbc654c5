#include "engine/scheduler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace hymt::engine {

bool operator==(const Work& a, const Work& b) {
  return a.item == b.item && a.n_tokens == b.n_tokens;
}
void PrintTo(const Work& work, std::ostream* out) {
  *out << "item " << work.item << ": " << work.n_tokens;
}

namespace {

using testing::ElementsAre;
using testing::IsEmpty;

// A decoding sequence of `length` tokens and a waiting or half-computed prompt.
Item decoding(uint64_t request, int length) {
  const int blocks = blocks_for(length - 1, 16);
  return {.request = request,
          .computed = length - 1,
          .length = length,
          .expected = length,
          .blocks = blocks,
          .frees = blocks};
}
Item prompt(uint64_t request, int computed, int length, int expected = 0) {
  const int blocks = blocks_for(computed, 16);
  return {.request = request,
          .computed = computed,
          .length = length,
          .expected = std::max(length, expected),
          .blocks = blocks,
          .frees = blocks};
}

Plan plan(const std::vector<Item>& running, const std::vector<Item>& waiting,
          const Capacity& capacity) {
  Plan out;
  make_plan(running, waiting, capacity, out);
  return out;
}

TEST(Scheduler, DecodesFirstThenPromptsInChunksThenAdmits) {
  const Plan out =
      plan({prompt(1, 16, 100), decoding(2, 20), decoding(3, 30)}, {prompt(4, 0, 40)},
           {.step_rows = 100, .max_sequences = 8, .block_tokens = 16, .free_blocks = 50});
  EXPECT_THAT(out.work, ElementsAre(Work{1, 1}, Work{2, 1}, Work{0, 84}, Work{3, 14}));
  EXPECT_EQ(out.n_admitted, 1);
}

TEST(Scheduler, NeverExceedsTheRowsOfAStep) {
  const Plan out =
      plan({decoding(1, 5), decoding(2, 5), decoding(3, 5)}, {prompt(4, 0, 40)},
           {.step_rows = 2, .max_sequences = 8, .block_tokens = 16, .free_blocks = 50});
  EXPECT_THAT(out.work, ElementsAre(Work{0, 1}, Work{1, 1}));
  EXPECT_EQ(out.n_admitted, 0);
}

TEST(Scheduler, AdmitsInOrderWithoutOvertaking) {
  // The first waiting one expects 10 blocks of 8; the second would fit, but must not overtake.
  const Plan out =
      plan({decoding(1, 5)}, {prompt(2, 0, 40, 160), prompt(3, 0, 16, 32)},
           {.step_rows = 64, .max_sequences = 8, .block_tokens = 16, .free_blocks = 8});
  EXPECT_EQ(out.n_admitted, 0);
}

TEST(Scheduler, KeepsTheBlocksThatRunningOnesAreExpectedToTake) {
  Item half = prompt(1, 16, 17, 80);  // holds 1 block, expects 5
  const Capacity capacity{
      .step_rows = 64, .max_sequences = 8, .block_tokens = 16, .free_blocks = 6};
  EXPECT_EQ(plan({half}, {prompt(2, 0, 32)}, capacity).n_admitted, 1);      // 4 + 2 <= 6
  EXPECT_EQ(plan({half}, {prompt(2, 0, 32, 48)}, capacity).n_admitted, 0);  // 4 + 3 > 6
}

TEST(Scheduler, AdmitsAloneWhateverIsExpected) {
  const Plan out =
      plan({}, {prompt(1, 0, 40, 1000)},
           {.step_rows = 64, .max_sequences = 8, .block_tokens = 16, .free_blocks = 4});
  EXPECT_EQ(out.n_admitted, 1);
  EXPECT_THAT(out.work, ElementsAre(Work{0, 40}));
}

TEST(Scheduler, TheYoungestGivesItsBlocksToTheOldest) {
  // Both need a new block and none is free: request 2 leaves, its work is taken back.
  const Plan out =
      plan({decoding(1, 17), decoding(2, 17)}, {prompt(3, 0, 16)},
           {.step_rows = 64, .max_sequences = 8, .block_tokens = 16, .free_blocks = 0});
  EXPECT_THAT(out.work, ElementsAre(Work{0, 1}));
  EXPECT_THAT(out.preempt, ElementsAre(2));
  EXPECT_EQ(out.n_admitted, 0);
}

TEST(Scheduler, WorkOfAPreemptedRequestIsTakenBackWithItsRows) {
  // Request 2 decodes without a new block, but the older prompt then needs what it holds.
  const Plan out =
      plan({prompt(1, 16, 48), decoding(2, 20)}, {},
           {.step_rows = 64, .max_sequences = 8, .block_tokens = 16, .free_blocks = 0});
  EXPECT_THAT(out.preempt, ElementsAre(2));
  EXPECT_THAT(out.work, ElementsAre(Work{0, 32}));
}

TEST(Scheduler, BeamsArePreemptedTogether) {
  const Plan out =
      plan({decoding(1, 17), decoding(2, 20), decoding(2, 20)}, {},
           {.step_rows = 64, .max_sequences = 8, .block_tokens = 16, .free_blocks = 0});
  EXPECT_THAT(out.preempt, ElementsAre(2));
  EXPECT_THAT(out.work, ElementsAre(Work{0, 1}));
}

TEST(Scheduler, TheSequencesRunningAtOnceAreBounded) {
  const Plan out =
      plan({decoding(1, 5), decoding(2, 5)}, {prompt(3, 0, 5), prompt(4, 0, 5)},
           {.step_rows = 64, .max_sequences = 3, .block_tokens = 16, .free_blocks = 50});
  EXPECT_EQ(out.n_admitted, 1);
}

TEST(Scheduler, ARequestCountsAsTheBeamsItWillBecome) {
  Item beams = prompt(2, 0, 5);
  beams.width = 4;
  const Capacity capacity{
      .step_rows = 64, .max_sequences = 4, .block_tokens = 16, .free_blocks = 50};
  EXPECT_EQ(plan({decoding(1, 5)}, {beams}, capacity).n_admitted, 0);
  EXPECT_EQ(plan({}, {beams}, capacity).n_admitted, 1);
}

TEST(Scheduler, SharedBlocksThatWereIdleAreNoLongerFreeOnceTaken) {
  Item shared = prompt(2, 32, 40);  // two blocks found computed, one more needed
  const Capacity capacity{
      .step_rows = 64, .max_sequences = 4, .block_tokens = 16, .free_blocks = 2};
  EXPECT_EQ(plan({decoding(1, 5)}, {shared}, capacity).n_admitted, 1);  // somebody else holds them
  shared.idle = 2;
  EXPECT_EQ(plan({decoding(1, 5)}, {shared}, capacity).n_admitted, 0);
}

TEST(Scheduler, NothingToDoGivesNoWork) {
  const Plan out =
      plan({}, {}, {.step_rows = 64, .max_sequences = 3, .block_tokens = 16, .free_blocks = 50});
  EXPECT_THAT(out.work, IsEmpty());
}

}  // namespace
}  // namespace hymt::engine
