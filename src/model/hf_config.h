// config.json of a Hugging Face checkpoint as GGUF metadata. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/result.h"
#include "checkpoint/checkpoint.h"

namespace hymt::model {

// Sets the hunyuan-dense.* keys, hymt.* and the token ids. `source` is for messages. Accepts the
// spellings of transformers 4 and 5.
//   invalid_argument: a field that is missing or of the wrong type
//   unsupported: another architecture, quantised weights, or an option that changes the graph
Result<void> translate_config(const nlohmann::json& config, const std::string& source,
                              checkpoint::Checkpoint& checkpoint);

}  // namespace hymt::model
