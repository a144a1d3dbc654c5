// A Hugging Face folder (config.json, safetensors, tokenizer) translated to GGUF's names.
#pragma once

#include <string>

#include "base/result.h"
#include "checkpoint/checkpoint.h"

namespace hymt::model {

// Reads config.json, the safetensors, and tokenizer.json (else hy.tiktoken); accepts the aliases
// of both transformers 4 and 5. A redundant lm_head.weight of a tied model is left out.
Result<checkpoint::Checkpoint> open_huggingface(const std::string& folder);

}  // namespace hymt::model
