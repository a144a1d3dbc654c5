// What a model file holds: metadata and tensors, before anyone interprets them.
//
// The vocabulary of names is GGUF's (keys and tensor names): a Hugging Face folder is translated
// to it where it is read (model/huggingface.h), so that one set of names serves everywhere else.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/mapped_file.h"
#include "base/result.h"
#include "checkpoint/dtype.h"

namespace hymt::checkpoint {

// A metadata value. Integers of any width are int64_t, and uint64_t only past 2^63; float32 stays
// exact in a double.
using Value = std::variant<bool, int64_t, uint64_t, double, std::string, std::vector<bool>,
                           std::vector<int64_t>, std::vector<double>, std::vector<std::string>>;

struct Tensor {
  std::string name;
  DType type = DType::f32;
  std::vector<int64_t> shape;  // row-major, outermost first: [n_rows, n_columns]; GGUF reversed
  Bytes data;                  // row_bytes(type, n_columns) * n_rows, row after row

  int64_t rows() const { return shape.size() < 2 ? 1 : shape[0]; }
  int64_t columns() const { return shape.empty() ? 1 : shape.back(); }
};

// Immutable after reading; any thread. Tensor data stays valid as long as the checkpoint.
struct Checkpoint {
  std::string path;  // for messages
  std::map<std::string, Value> metadata;
  std::vector<Tensor> tensors;
  std::vector<std::shared_ptr<const void>> owners;  // what keeps the tensors' memory alive

  const Tensor* find(std::string_view tensor) const;
};

// Typed look-ups. A missing key or one of another type is an error naming file, key and value.
Result<int64_t> get_int(const Checkpoint& checkpoint, const std::string& key);
Result<double> get_number(const Checkpoint& checkpoint, const std::string& key);
Result<std::string> get_string(const Checkpoint& checkpoint, const std::string& key);
// The same for keys that may be absent: then the default. A wrong type is still an error.
Result<int64_t> get_int_or(const Checkpoint& checkpoint, const std::string& key, int64_t value);
Result<double> get_number_or(const Checkpoint& checkpoint, const std::string& key, double value);
Result<std::string> get_string_or(const Checkpoint& checkpoint, const std::string& key,
                                  const std::string& value);

}  // namespace hymt::checkpoint
