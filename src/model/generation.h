// Which generation of the models a checkpoint belongs to, and how we know.
#pragma once

#include <optional>
#include <string>

#include "base/result.h"
#include "checkpoint/checkpoint.h"
#include "model/family.h"
#include "model/model_card.h"

namespace hymt::model {

struct Found {
  Generation generation;
  std::string reason;  // one line
};

// By `prompts`, else the key hymt.prompts, else names (in the metadata, then the file's own) read
// in the light of the family.
Result<Found> find_generation(const checkpoint::Checkpoint& checkpoint, const Family& family,
                              std::optional<Generation> prompts);

// What a file or folder is called; for a folder in a download cache, what was downloaded.
std::string path_name(const std::string& path);

// general.name, else what the path is called.
std::string model_name(const checkpoint::Checkpoint& checkpoint);

}  // namespace hymt::model
