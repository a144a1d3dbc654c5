// The engine without its thread: requests in, steps, answers out.
//
// A step shows the policy (scheduler.h) what runs and what waits, does what it says, computes one
// ragged batch, and hands every row's answer to its request. One thread at a time; tests drive it
// step by step with a fake runner and a fake clock.
#pragma once

#include <memory>
#include <vector>

#include "base/clock.h"
#include "engine/block_manager.h"
#include "engine/group.h"
#include "engine/metrics.h"
#include "engine/scheduler.h"
#include "engine/waiting_queue.h"
#include "model/runner.h"

namespace hymt::engine {

struct CoreOptions {
  int max_sequences = 64;
  int step_rows = 512;
  bool share_prefixes = true;
};

struct Cancel {
  RequestId id;
  Time asked;
};

class Core {
 public:
  Core(model::Runner& runner, const CoreOptions& options, const Clock& clock, Metrics& metrics);

  // The request has been validated and fits (max_fitting_tokens).
  void submit(RequestId id, Request request, std::shared_ptr<Listener> listener, Time arrived);
  // One more caller for a request; unknown ids are ignored.
  void join(RequestId id, const Caller& caller);
  void expire(RequestId id);  // at the next step; unknown ids are ignored
  // Frees their blocks; ids that are unknown (any more) are ignored. Sorts what it is given.
  void cancel(std::vector<Cancel>& cancels);
  void cancel_all();

  // One step: ends what is past its deadline, then computes what the policy chose. False if there
  // was nothing to do: then there is nothing that waits or runs.
  bool step();

  int max_sequences() const { return options_.max_sequences; }  // any thread
  // Requests that have never been admitted yet, and their prompt tokens.
  int n_queued() const { return waiting_.n_new(); }
  int n_queued_tokens() const { return waiting_.n_new_tokens(); }
  int n_running() const { return static_cast<int>(running_.size()); }
  const BlockManager& blocks() const { return blocks_; }

 private:
  using GroupPtr = std::unique_ptr<Group>;

  Group* find(RequestId id);
  void end_expired();
  void show_to_policy();
  void apply(const Plan& plan);  // pre-empts and admits
  void preempt(RequestId request);
  void compute(const Plan& plan);
  model::Ask ask_for(const Group& group, const Sequence& sequence) const;

  void take_answer(Group& group, Sequence& sequence, const model::Answer& answer);
  void take_token(Group& group, Sequence& sequence, const model::Answer& answer);
  void advance_beams(Group& group);
  void finish(Group& group, FinishReason reason);  // marks it; the caller removes it
  void end_with(Group& group, const Error& error);
  void release(Group& group);
  void remove_finished();

  model::Runner& runner_;
  const CoreOptions options_;
  const Clock& clock_;
  Metrics& metrics_;
  BlockManager blocks_;
  WaitingQueue waiting_;
  std::vector<GroupPtr> running_;  // oldest first

  // Buffers of a step, reused.
  struct Row {
    Group* group;
    size_t sequence;  // index into the group's
  };
  std::vector<Group*> front_;  // of the queue
  std::vector<Item> running_items_, waiting_items_;
  std::vector<Row> rows_;      // of the items: running, then waiting
  std::vector<int> given_up_;  // [blocks] references that pre-emptions would take away
  Plan plan_;
  std::vector<Token> tokens_;
  std::vector<model::Ask> asks_;
  std::vector<model::Slice> slices_;
  std::vector<model::Candidate> scratch_;
};

// Prompt and answer tokens together that one request with so many beams can have at most.
int max_fitting_tokens(const model::Runner& runner, int beams);

}  // namespace hymt::engine
