// The key-value part of a GGUF header.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "base/result.h"
#include "checkpoint/byte_reader.h"
#include "checkpoint/checkpoint.h"

namespace hymt::checkpoint::gguf {

struct Metadata {
  std::map<std::string, Value> values;
  uint32_t alignment = 0;  // of the tensors' data
};

// Reads `count` pairs; `path` is for messages. Integers of any width become int64_t, or uint64_t
// where they exceed it.
Result<Metadata> read_metadata(ByteReader& in, uint64_t count, const std::string& path);

// "<path>: the file ends inside <field>...": for every read that finds too few bytes.
tl::unexpected<Error> cut_short(const ByteReader& in, const std::string& path,
                                const std::string& field);

// A string with its length before it; the view points into the file. `field` is for messages.
Result<std::string_view> read_string(ByteReader& in, const std::string& path, const char* field);

}  // namespace hymt::checkpoint::gguf
