// The facade that the server and the command line see: text in, text out.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/engine.h"
#include "model/model_card.h"
#include "tokenizer/tokenizer.h"
#include "translate/language.h"
#include "translate/request.h"

namespace hymt::translate {

// Hears of one request, on the engine's thread (or the caller's, where nothing had to be
// computed): must be quick and must not block.
class Sink {
 public:
  virtual ~Sink() = default;
  // Text of translation `index` that will not change any more; deltas joined equal the final text.
  virtual void on_delta(size_t index, std::string_view text) = 0;
  virtual void on_translation(size_t index, const Translation& translation) = 0;
  // Exactly one, last.
  virtual void on_finish(const Result<Reply>& reply) = 0;
};

// Cancels its request when destroyed unless it has finished. Any thread.
class Ticket {
 public:
  virtual ~Ticket() = default;
};

struct ModelInfo {
  std::string name;
  std::string generation;
  std::vector<const Language*> languages;  // what it can translate, in the order of languages()
  int max_input_tokens = 0;
};

// All members may be called from any thread.
class Translator {
 public:
  struct Options {
    int max_input_tokens = 4096;  // a request's texts together
    size_t max_texts = 1024;
  };

  // The engine, tokenizer and clock outlive the translator.
  Translator(const model::ModelCard& card, const tokenizer::Tokenizer& tokenizer,
             engine::Engine& engine, const Clock& clock, const Options& options);
  ~Translator();

  // Detects, builds prompts, tokenizes (on the caller's thread), and submits all paragraphs of all
  // texts. Errors that are known at once are returned and the sink hears nothing.
  //   invalid_argument: unknown language, invalid UTF-8, a parameter out of range (names the field)
  //   unsupported: a known language that this model cannot do
  //   too_large: more than max_input_tokens
  //   queue_full, unavailable: as the engine says
  Result<std::unique_ptr<Ticket>> translate(const Request& request, std::shared_ptr<Sink> sink);

  Detection detect(std::string_view text) const;
  const ModelInfo& info() const;
  engine::Status status() const;
  void drain();

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// translate() and wait for the reply.
Result<Reply> translate_and_wait(Translator& translator, const Request& request);

}  // namespace hymt::translate
