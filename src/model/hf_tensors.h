// The names of tensors in Hugging Face checkpoints, and GGUF's. Pure.
#pragma once

#include <string>

#include "checkpoint/checkpoint.h"

namespace hymt::model {

// GGUF's name for one of Hugging Face's; the name itself where GGUF has none, so that whoever looks
// for what the graph needs names it as the file does.
std::string gguf_tensor_name(const std::string& name);

// Renames all tensors, and drops those that hold nothing to load: buffers of rotary frequencies,
// and with `tied` a redundant lm_head.weight.
void translate_tensors(checkpoint::Checkpoint& checkpoint, bool tied);

}  // namespace hymt::model
