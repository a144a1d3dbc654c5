// One engine, one model: sequences, KV blocks, scheduling and sampling on a thread of its own.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "engine/request.h"
#include "model/runner.h"

namespace hymt::engine {

struct Options {
  int max_queue = 256;            // requests waiting; once so many wait, submit says queue_full
  int max_queue_tokens = 262144;  // prompt tokens waiting
  int max_sequences = 64;         // decoding at once
  int step_tokens = 512;          // rows a step may have
  bool share_prefixes = true;     // changes no output
};

using RequestId = uint64_t;

struct Submission {
  Request request;
  std::shared_ptr<Listener> listener;
};

struct Status {
  int queued = 0;
  int running = 0;
  int blocks_used = 0;
  int blocks = 0;
};

// All members may be called from any thread; none waits on a step of the model.
class Engine {
 public:
  Engine(std::unique_ptr<model::Runner> runner, const Options& options, const Clock& clock,
         metrics::Registry& metrics);
  ~Engine();  // cancels what is left and joins the thread

  // invalid_argument (a parameter out of range: names the field), too_large (can never fit),
  // queue_full (with retry_after, from the rate at which requests have left the queue lately),
  // unavailable (draining), unsupported (more beams than this engine is set up for).
  Result<RequestId> submit(Request request, std::shared_ptr<Listener> listener);
  // All of them or none.
  Result<std::vector<RequestId>> submit(std::vector<Submission> submissions);
  // Of the next three, unknown or finished ids are ignored.
  // One more caller waits for the answer to `id`: its deadline becomes the earlier of both (the
  // listener then decides: on_deadline()), and while it waits in the queue its place becomes the
  // one that is further ahead.
  void join(RequestId id, Caller caller);
  void expire(RequestId id);  // its deadline is now
  void cancel(RequestId id);
  void drain();  // accept nothing new; what was accepted ends
  Status status() const;
  const model::Runner& runner() const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hymt::engine
