// One translate() under way: from engine requests back to texts.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "tokenizer/tokenizer.h"
#include "translate/facade.h"
#include "translate/flight.h"
#include "translate/memory/memory.h"
#include "translate/paragraphs.h"

namespace hymt::translate {

// A text of the request, cut, and its answer as far as it is known before any work.
struct Draft {
  std::string text;
  std::vector<Range> paragraphs;  // none: the text is its own translation
  Translation answer;             // source, detected, warnings
};

struct JobPlan {
  std::vector<Draft> drafts;
  // One request to the engine for each variant of each paragraph of each draft, in this order.
  // Variant 0 is the answer; where alternatives are sampled, variants 1 and up are requests of
  // their own.
  std::vector<engine::Request> requests;
  bool recall = true, remember = true;  // as memory::Ask
  int variants = 1;
  int alternatives = 0;  // most that a text gets; with beams they come as candidates
  bool beams = false;    // the engine tells answers at the end only
  std::vector<std::string> stops;
  std::string model;
};

// Listeners call on the engine's thread, on that of a store, and on the caller's within start();
// the sink is called there, under the job's lock, and hears one thing at a time. So the caller of
// start() must not hold a lock that its sink wants. The sink may do anything but wait; destroying
// its ticket inside a call is fine, as cancelling takes only Flight's lock and the memory's.
class Job : public std::enable_shared_from_this<Job> {
 public:
  Job(JobPlan plan, const tokenizer::Tokenizer& tokenizer, memory::Memory& memory,
      std::shared_ptr<Sink> sink);
  ~Job();

  // Submits all requests or none; after an error the sink hears nothing. Call once.
  Result<void> start(memory::Memory& memory);
  void cancel() { flight_.cancel_all(); }  // any thread

 private:
  class Ear;  // listens to one request
  struct Leg;
  struct Text;

  void on_token(size_t leg, engine::Token token);
  void on_finish(size_t leg, const engine::Finish& finish);
  void on_recall(size_t leg, const engine::Finish& finish);
  void on_error(size_t leg, const Error& error);

  // With the lock held.
  Leg& leg_of(size_t text, size_t paragraph, int variant);
  void take_candidates(Leg& leg, const std::vector<engine::Candidate>& candidates);
  void land(size_t leg, engine::FinishReason reason);
  void tell_untranslated();
  void tell_deltas(size_t text);
  void complete(size_t text);
  void tell_translation(size_t text);
  void finish_if_complete();
  void finish(const Result<Reply>& reply);
  bool recalled(size_t text);
  std::string assembled(size_t text, int variant);

  JobPlan plan_;  // its requests move to the memory in start()
  const tokenizer::Tokenizer& tokenizer_;
  Flight flight_;

  std::mutex mutex_;             // guards what follows and the answers in plan_.drafts
  std::shared_ptr<Sink> sink_;   // nullptr once it has heard on_finish
  std::vector<Leg> legs_;        // as plan_.requests
  std::vector<Text> texts_;      // as plan_.drafts
  size_t n_open_texts_ = 0;      // with something to translate that has not ended
  std::vector<size_t> expired_;  // complete, but all of their time was spent waiting; not told yet
  bool untranslated_told_ = false;
  bool produced_ = false;  // any text that was computed
  Usage usage_;
};

}  // namespace hymt::translate
