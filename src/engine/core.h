// The engine without its thread: requests in, steps, answers out.
//
// One thread at a time. Tests drive it step by step with a fake runner and a fake clock.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "engine/block_pool.h"
#include "engine/group.h"
#include "engine/metrics.h"
#include "engine/scheduler.h"
#include "model/runner.h"

namespace hymt::engine {

struct CoreOptions {
  int max_sequences = 64;
  int step_rows = 512;
};

class Core {
 public:
  Core(model::Runner& runner, const CoreOptions& options, const Clock& clock, Metrics& metrics);

  // The request has been validated and fits (max_fitting_tokens).
  void submit(RequestId id, Request request, std::shared_ptr<Listener> listener, Time arrived);
  void cancel(RequestId id);
  void cancel_all();

  // One step: ends what is past its deadline, then computes what the policy chose. False if there
  // was nothing to do.
  bool step();

  // Requests, and their prompt tokens, that have never been admitted yet.
  int n_queued() const;
  int n_queued_tokens() const;
  int n_running() const { return static_cast<int>(running_.size()); }
  const BlockPool& pool() const { return pool_; }

 private:
  using GroupPtr = std::unique_ptr<Group>;

  void end_expired();
  void apply(const Plan& plan);  // pre-empts and admits
  void preempt(RequestId request);
  void compute(const Plan& plan);
  void take_answer(Group& group, Sequence& sequence, const model::Answer& answer);
  void release_blocks(Group& group);
  void finish(Group& group, FinishReason reason);  // marks it; the caller removes it
  void fail_all_running(const Error& error);

  model::Runner& runner_;
  const CoreOptions options_;
  const Clock& clock_;
  Metrics& metrics_;
  BlockPool pool_;
  std::deque<GroupPtr> waiting_;   // in the order of admission
  std::vector<GroupPtr> running_;  // oldest first

  // Buffers of a step, reused.
  struct Row {
    Group* group;
    Sequence* sequence;
  };
  std::vector<Item> running_items_, waiting_items_;
  std::vector<Row> rows_;  // of the items: running, then waiting
  Plan plan_;
  std::vector<Token> tokens_;
  std::vector<model::Ask> asks_;
  std::vector<model::Slice> slices_;
  std::vector<model::Candidate> scratch_;
};

// Prompt and answer tokens together that one request can have at most.
int max_fitting_tokens(const model::Runner& runner);

}  // namespace hymt::engine
