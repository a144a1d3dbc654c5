// The translation memory: what stands between translate and the engine, and answers what was asked
// before.
//
// A request whose answer is remembered, in the process or in a store that replicas share, is not
// computed. One that is just being computed joins that computation: with the next token it is told
// what there is so far, and then the rest as it comes. Who leaves a shared computation, or whose
// time is over, hears so before the engine's next step, and does not end it for the others; it goes
// on as long as anybody waits for it. In the engine's queue it stands where the best placed of its
// callers would stand alone.
//
// Answers are equal, byte for byte, to those that would be computed: keys are compared in full, and
// hold everything that can change an answer (record.h). Only whole answers are remembered, ended by
// the model, by their length or as a loop: the same request would end so again.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/metrics.h"
#include "base/result.h"
#include "engine/engine.h"
#include "translate/memory/store.h"

namespace hymt::translate::memory {

// Hears of one request as engine::Listener says, or, instead of all that, on_recall(): on the
// engine's thread, the store's, or that of the caller of submit() before it returns.
class Listener : public engine::Listener {
 public:
  // The whole answer, which was remembered.
  virtual void on_recall(const engine::Finish& finish) = 0;
};

struct Ask {
  engine::Request request;
  std::shared_ptr<Listener> listener;
  bool recall = true;    // may be answered by what is remembered or just being computed
  bool remember = true;  // others may have its answer
};

using Id = uint64_t;

struct Options {
  // What can change answers and is not part of requests: the program, the model's content, the
  // runner's name. Equal among those who share a store's answers.
  std::string identity;
  size_t bytes = 0;                        // in the process; 0: none
  Duration keep = std::chrono::hours(24);  // an answer expires after it
  uint64_t seed = 0;                       // of hashes; best a random one
};

// Without bytes and without a store it remembers nothing, and each request is computed for itself.
// All members may be called from any thread.
class Memory {
 public:
  // The engine and the registry outlive the memory. The store may be null; it is destroyed after
  // the memory and before the engine.
  Memory(engine::Engine& engine, Store* store, const Options& options, const Clock& clock,
         metrics::Registry& metrics);
  ~Memory();

  // All of them or none; errors are the engine's. Where a store is asked first, what the engine
  // then refuses is told by on_error(). What needs no computing is told before the call returns,
  // but after all that can be refused has been accepted.
  Result<std::vector<Id>> submit(std::vector<Ask> asks);
  // This caller wants it no more, and hears so (FinishReason::cancelled) on the engine's thread or
  // the store's. Unknown or finished ids are ignored.
  void leave(Id id);
  // The same, and may be called as long as anybody holds it: for who may outlive the memory.
  std::function<void(Id)> leaver() const;
  void drain();  // accept nothing new; what was accepted ends
  engine::Engine& engine() const;

 private:
  class Impl;
  const std::shared_ptr<Impl> impl_;  // computations under way hold it too
};

}  // namespace hymt::translate::memory
