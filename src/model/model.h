// A model as loaded: shape, weights, vocabulary and card, ready for a runner and a tokenizer.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/mapped_file.h"
#include "base/result.h"
#include "checkpoint/checkpoint.h"
#include "model/config.h"
#include "model/model_card.h"
#include "model/weights.h"
#include "tokenizer/vocabulary.h"

namespace hymt::model {

// Immutable after loading; any thread.
struct Model {
  std::shared_ptr<const checkpoint::Checkpoint> checkpoint;
  Config config;
  Weights weights;  // points into the checkpoint
  tokenizer::Vocabulary vocabulary;
  ModelCard card;
};

// A .gguf file or a Hugging Face folder, as a checkpoint in GGUF's names.
Result<checkpoint::Checkpoint> open_checkpoint(const std::string& path);

// `prompts` overrides the generation that the file tells.
Result<Model> load(checkpoint::Checkpoint checkpoint,
                   std::optional<Generation> prompts = std::nullopt);

}  // namespace hymt::model
