// The JSON of safetensors files, read as a stream: nothing is built in memory but what we keep, so
// that a hostile header (deep, long, with names twice) can neither crash nor bloat the process.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace hymt::checkpoint {

// A tensor as the header declares it; nothing is checked but the JSON's form.
struct SafetensorsEntry {
  std::string name;
  std::string dtype;  // "BF16", "F8_E4M3"...
  std::vector<uint64_t> shape;
  uint64_t begin = 0, end = 0;  // of its bytes, counted from the header's end
};

// `source` is for messages. A name that appears twice is an error.
Result<std::vector<SafetensorsEntry>> parse_safetensors_header(std::string_view json,
                                                               const std::string& source);

// model.safetensors.index.json: pairs of tensor name and file name.
Result<std::vector<std::pair<std::string, std::string>>> parse_safetensors_index(
    std::string_view json, const std::string& source);

}  // namespace hymt::checkpoint
