// One engine request and all who wait for its answer.
#pragma once

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/engine.h"
#include "translate/memory/memory.h"

namespace hymt::translate::memory {

// One caller of a computation.
struct Member {
  Id id = 0;
  std::shared_ptr<Listener> listener;
  engine::Caller caller;
  size_t told = 0;    // tokens it has heard
  bool left = false;  // wants no more, and has not heard so yet

  bool late(Time now) const { return caller.deadline && *caller.deadline <= now; }
};

// What one listener is to hear, once no lock is held.
struct Delivery {
  std::shared_ptr<Listener> listener;
  size_t from = 0, to = 0;               // tokens
  std::optional<engine::Finish> finish;  // then one of these, if any
  std::optional<Error> error;
  bool recalled = false;  // the finish was
};

// Plain data, under the lock of the memory, except `tokens`, which only the engine's thread uses.
struct Computation {
  std::string key;          // empty: nobody can join, and nothing is remembered
  engine::Request request;  // the engine's, once it runs
  int n_prompt = 0;         // tokens
  std::vector<Member> members;
  std::optional<engine::RequestId> running;  // as the engine knows it; before: the store is asked
  bool recall = false;                       // the store may be asked
  bool remember = false;                     // the answer is for others too
  bool ended = false;
  std::vector<engine::Token> tokens;  // of the answer, so far

  bool wanted() const {
    return std::any_of(members.begin(), members.end(), [](const auto& m) { return !m.left; });
  }
  std::optional<Time> next_deadline() const {
    std::optional<Time> next;
    for (const Member& member : members) next = engine::earlier(next, member.caller.deadline);
    return next;
  }
};

// What `member` hears when its own part ends for `reason` before the computation does. To be called
// on the engine's thread, or before there is any token.
Delivery cut_short(const Computation& computation, const Member& member,
                   engine::FinishReason reason);

// Tells all of them, in order.
void deliver(const std::vector<Delivery>& deliveries, const std::vector<engine::Token>& tokens);

}  // namespace hymt::translate::memory
