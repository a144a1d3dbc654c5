// Who a model is: its generation, how it is spoken to, when it stops, what it can do; and why we
// think so.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "tokenizer/vocabulary.h"

namespace hymt::checkpoint {
struct Checkpoint;
}

namespace hymt::model {

using tokenizer::Token;

// The generations differ in prompts and abilities (facts: the publisher's model cards).
enum class Generation { hunyuan_mt, hy_mt1_5, hy_mt2, chimera };
std::string_view name(Generation generation);  // "hunyuan-mt", "hy-mt1.5", "hy-mt2", "chimera"
std::optional<Generation> generation_named(std::string_view name);

// A prompt is: bos, [system, system_end], user_start, user text, user_end. Special tokens stand
// only where the template puts them.
struct ChatTemplate {
  std::vector<Token> bos;
  std::vector<Token> system_end;
  std::vector<Token> user_start;  // empty in the 7B family
  std::vector<Token> user_end;    // after it the model answers
};

// What the publisher recommends for sampling.
struct Sampling {
  float temperature = 0.7f;
  int top_k = 20;
  float top_p = 0.6f;
  float repetition_penalty = 1.05f;
};

struct ModelCard {
  std::string name;  // general.name, else the file's name
  Generation generation = Generation::hunyuan_mt;
  ChatTemplate chat;
  std::vector<Token> stop_ids;
  std::vector<std::string> languages;  // codes it names; empty: all that the family speaks
  Sampling recommended;
  std::vector<std::string> reasons;  // one line a decision, for `inspect`
};

// From the special tokens, by their texts, and the metadata: the chat template and the end-of-text
// ids that files declare are wrong in the wild, so neither is trusted. `prompts` overrides the
// generation. unsupported: the special tokens of neither family; invalid_argument: a hymt.* or
// token id key with a value that makes no sense.
Result<ModelCard> read_card(const checkpoint::Checkpoint& checkpoint,
                            const tokenizer::Vocabulary& vocabulary,
                            std::optional<Generation> prompts = std::nullopt);

}  // namespace hymt::model
