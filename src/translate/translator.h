// The facade over one engine and its memory, as the composition root builds it.
#pragma once

#include <memory>
#include <string_view>

#include "base/result.h"
#include "model/model_card.h"
#include "tokenizer/tokenizer.h"
#include "translate/facade.h"
#include "translate/memory/memory.h"

namespace hymt::translate {

// All members may be called from any thread.
class Translator final : public Facade {
 public:
  struct Options {
    int max_input_tokens = 4096;  // a request's texts together
    int max_prompt_tokens =
        131072;  // its prompts together: with their own words, context and terms
    size_t max_texts = 1024;
  };

  // The tokenizer and the memory (and its engine) outlive the translator.
  Translator(const model::ModelCard& card, const tokenizer::Tokenizer& tokenizer,
             memory::Memory& memory, const Options& options);
  ~Translator() override;

  Result<std::unique_ptr<Ticket>> translate(const Request& request,
                                            std::shared_ptr<Sink> sink) override;
  Detection detect(std::string_view text) const override;
  const ModelInfo& info() const override;
  engine::Status status() const override;
  void drain() override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

// translate() and wait for the reply.
Result<Reply> translate_and_wait(Facade& facade, const Request& request);

}  // namespace hymt::translate
