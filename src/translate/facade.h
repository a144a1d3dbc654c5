// What the server and the command line see of translation: text in, text out. Translator is the
// real one; tests of the server bring their own.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "engine/engine.h"
#include "model/model_card.h"
#include "translate/language.h"
#include "translate/request.h"

namespace hymt::translate {

// Hears of one request, one thing at a time, on the engine's thread, on the caller's before
// translate() returns (what is remembered or needs no computing; so the caller holds no lock that
// its sink wants), or on that of a shared memory: must be quick and must not block. After its
// ticket is gone it still hears the end.
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
  model::Sampling recommended;  // what `"sampling": "recommended"` means
};

// All members may be called from any thread; none waits on a step of the model.
class Facade {
 public:
  virtual ~Facade() = default;

  // Detects, builds prompts, tokenizes (on the caller's thread), and submits all paragraphs of all
  // texts. Errors that are known at once are returned and the sink hears nothing.
  //   invalid_argument: unknown language, invalid UTF-8, a parameter out of range (names the field)
  //   unsupported: a known language that this model cannot do
  //   too_large: more than max_input_tokens
  //   queue_full, unavailable: as the engine says
  virtual Result<std::unique_ptr<Ticket>> translate(const Request& request,
                                                    std::shared_ptr<Sink> sink) = 0;

  virtual Detection detect(std::string_view text) const = 0;
  virtual const ModelInfo& info() const = 0;
  virtual engine::Status status() const = 0;
  virtual void drain() = 0;  // accept nothing new; what was accepted ends
};

}  // namespace hymt::translate
