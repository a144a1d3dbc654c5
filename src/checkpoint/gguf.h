// GGUF versions 2 and 3, little endian. Source: the format's specification (ggml, docs/gguf.md).
#pragma once

#include <string>

#include "base/mapped_file.h"
#include "base/result.h"
#include "checkpoint/checkpoint.h"

namespace hymt::checkpoint {

// Maps the file; reads only its header. Any malformed file gives one error that names the file,
// the field and the value; nothing is allocated in proportion to a number that the file claims.
Result<Checkpoint> read_gguf(const std::string& path);

// The same from memory that the caller keeps alive (`path` is for messages).
Result<Checkpoint> read_gguf(Bytes file, const std::string& path);

// Writes version 3, alignment 32, through a temporary file that is renamed when complete:
// a full disk or a crash leaves no half file under the final name.
Result<void> write_gguf(const Checkpoint& checkpoint, const std::string& path);

}  // namespace hymt::checkpoint
