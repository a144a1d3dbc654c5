// The safetensors format: an 8-byte length, a JSON header, then the tensors' bytes.
#pragma once

#include <string>

#include "base/result.h"
#include "checkpoint/checkpoint.h"

namespace hymt::checkpoint {

// model.safetensors, or the shards that model.safetensors.index.json names, in `folder`; mapped.
// Tensor names are the file's own (Hugging Face's); metadata stays empty. F32, F16 and BF16;
// other types are refused by name.
Result<Checkpoint> read_safetensors(const std::string& folder);

}  // namespace hymt::checkpoint
