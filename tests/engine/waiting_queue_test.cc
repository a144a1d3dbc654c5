#include "engine/waiting_queue.h"

#include <gtest/gtest.h>

namespace hymt::engine {
namespace {

class WaitingQueueTest : public testing::Test {
 protected:
  void push(const std::string& client, int n_prompt = 10,
            Priority priority = Priority::interactive) {
    auto group = std::make_unique<Group>();
    group->id = next_id_++;
    group->n_prompt = n_prompt;
    group->request.client = client;
    group->request.priority = priority;
    queue_.push(std::move(group));
  }
  WaitingQueue queue_;
  RequestId next_id_ = 1;
};

std::string drain(WaitingQueue& queue) {
  std::string clients;
  while (!queue.empty()) {
    std::vector<Group*> front;
    queue.peek(1, front);
    const Group* expected = front.at(0);
    const auto group = queue.pop();
    EXPECT_EQ(group.get(), expected);
    clients += group->request.client;
  }
  return clients;
}

TEST_F(WaitingQueueTest, OneClientIsServedInTheOrderOfArrival) {
  for (int i = 0; i < 3; ++i) push("a", 10 - i);
  for (RequestId id = 1; id <= 3; ++id) EXPECT_EQ(queue_.pop()->id, id);
}

TEST_F(WaitingQueueTest, AClientWithManyRequestsDoesNotHoldUpOneWithFew) {
  for (int i = 0; i < 6; ++i) push("a");
  push("b");
  push("c");
  EXPECT_EQ(drain(queue_), "abcaaaaa");
}

TEST_F(WaitingQueueTest, SharesAreInTokensNotInRequests) {
  for (int i = 0; i < 4; ++i) push("a", 30);
  for (int i = 0; i < 6; ++i) push("b", 10);
  // a's tags are 30 60 90 120, b's 10 20 30 40 50 60.
  EXPECT_EQ(drain(queue_), "bbabbbabaa");
}

TEST_F(WaitingQueueTest, AnIdleClientSavesUpNothing) {
  push("a", 100);
  push("a", 100);
  queue_.pop();
  queue_.pop();  // virtual time is now 100
  push("a");
  push("b");
  push("b");
  EXPECT_EQ(drain(queue_), "abb");
}

TEST_F(WaitingQueueTest, NewcomersWithoutEndDoNotStarveAClientThatComesBack) {
  push("a");
  queue_.pop();
  push("a");
  for (int i = 0; i < 4; ++i) push("early" + std::to_string(i));
  int before_a = 0;
  for (; queue_.pop()->request.client != "a"; ++before_a) {
    ASSERT_LT(before_a, 10);
    push("late" + std::to_string(before_a));
    push("later" + std::to_string(before_a));
  }
  EXPECT_LE(before_a, 4);
}

TEST_F(WaitingQueueTest, WhatWasNeverServedIsNotPaidFor) {
  push("b");
  for (int i = 0; i < 200; ++i) push("a", 1000);
  queue_.take_if([](const Group& group) { return group.request.client == "a"; });
  push("a");
  for (int i = 0; i < 5; ++i) push("b");
  EXPECT_EQ(drain(queue_).substr(0, 2), "ba");
}

TEST_F(WaitingQueueTest, BulkWaitsButNotForEver) {
  for (int i = 0; i < 20; ++i) push("i");
  for (int i = 0; i < 3; ++i) push("B", 10, Priority::bulk);
  EXPECT_EQ(drain(queue_), "iiiiiiiBiiiiiiiBiiiiiiB");
}

TEST_F(WaitingQueueTest, APreemptedRequestGoesFirst) {
  push("a");
  auto group = queue_.pop();
  push("b");
  queue_.push_preempted(std::move(group));
  EXPECT_EQ(drain(queue_), "ab");
}

TEST_F(WaitingQueueTest, ARequestThatOneMoreClientWantsMovesToThatClientsPlace) {
  for (int i = 0; i < 5; ++i) push("a");
  push("b");
  queue_.join(5, {"c", Priority::interactive, {}});
  // c's own request would stand beside the first of a and b; of these, who came first is first.
  EXPECT_EQ(drain(queue_), "acbaaa");
}

TEST_F(WaitingQueueTest, ARequestThatOneMoreClientWantsIsNeverMovedBack) {
  push("a");
  for (int i = 0; i < 5; ++i) push("b");
  queue_.join(1, {"b", Priority::interactive, {}});
  queue_.join(1, {"c", Priority::bulk, {}});
  EXPECT_EQ(drain(queue_), "abbbbb");
}

TEST_F(WaitingQueueTest, ABulkRequestThatIsWantedAtOnceIsNoBulkAnyMore) {
  for (int i = 0; i < 3; ++i) push("B", 10, Priority::bulk);
  for (int i = 0; i < 3; ++i) push("i");
  queue_.join(3, {"c", Priority::interactive, {}});
  EXPECT_EQ(drain(queue_), "ciiiBB");
  EXPECT_EQ(queue_.n_new(), 0);
  EXPECT_EQ(queue_.n_new_tokens(), 0);
}

TEST_F(WaitingQueueTest, CountsWhatWasNeverAdmitted) {
  push("a", 7);
  push("b", 5);
  EXPECT_EQ(queue_.n_new(), 2);
  EXPECT_EQ(queue_.n_new_tokens(), 12);
  queue_.take_if([](const Group& group) { return group.id == 1; });
  EXPECT_EQ(queue_.n_new(), 1);
  EXPECT_EQ(queue_.n_new_tokens(), 5);
  queue_.push_preempted(queue_.pop());
  EXPECT_EQ(queue_.n_new(), 0);
  EXPECT_FALSE(queue_.empty());
}

}  // namespace
}  // namespace hymt::engine
