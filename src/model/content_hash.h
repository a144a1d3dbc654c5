// What a checkpoint holds, as a number: equal for equal content, whatever its file is called.
#pragma once

#include <string>

#include "base/thread_pool.h"
#include "checkpoint/checkpoint.h"

namespace hymt::model {

// 32 hexadecimal digits, of all metadata and of all tensors with their names, types, shapes and
// bytes (XXH3, 128 bits: it tells content apart, it does not resist forgery). Reads all of the
// file, in parallel on the pool.
std::string content_hash(const checkpoint::Checkpoint& checkpoint, ThreadPool& pool);

}  // namespace hymt::model
