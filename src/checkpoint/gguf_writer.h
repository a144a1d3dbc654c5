// Writes a GGUF file tensor by tensor, so that a model larger than memory can be written.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/atomic_file.h"
#include "base/result.h"
#include "checkpoint/checkpoint.h"

namespace hymt::checkpoint {

// A tensor to come; its shape as in Tensor, outermost first.
struct TensorPlan {
  std::string name;
  DType type = DType::f32;
  std::vector<int64_t> shape;

  int64_t columns() const { return shape.back(); }
  int64_t rows() const;       // all other dimensions together
  uint64_t row_size() const;  // bytes
  uint64_t size() const { return row_size() * static_cast<uint64_t>(rows()); }
};

// Version 3, alignment 32. The file appears under its name when finish() succeeds, and not at all
// otherwise. One thread at a time.
class GgufWriter {
 public:
  // Takes the whole file's space at once where the file system can. Metadata: integers become
  // uint32 (int32 if negative, 64 bits if they need them), arrays of integers int32; numbers
  // float32 if exact or below the architecture's own prefix, where the format demands it.
  // invalid_argument: a plan that no reader would take (no name, a name twice, rows that are no
  // multiple of the block).
  static Result<GgufWriter> create(const std::string& path,
                                   const std::map<std::string, Value>& metadata,
                                   const std::vector<TensorPlan>& tensors);

  // The tensors' bytes, in the order of the plan, in pieces of any size.
  Result<void> write(Bytes bytes);
  // Once all of them have been written.
  Result<void> finish();

  uint64_t file_size() const { return file_size_; }

 private:
  GgufWriter() = default;
  Result<void> pad();

  std::unique_ptr<AtomicFile> file_;
  std::vector<uint64_t> sizes_;  // of the tensors
  size_t tensor_ = 0;            // being written
  uint64_t written_ = 0;         // of it
  uint64_t file_size_ = 0;
};

}  // namespace hymt::checkpoint
