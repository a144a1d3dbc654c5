// A file mapped read-only into memory: pages are read on use and shared between processes.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "base/result.h"

namespace hymt {

using Bytes = std::span<const std::byte>;

// Immutable after open; any thread. A file that another process truncates while it is mapped
// faults on access (the operating system's rule for mappings), so replace model files, never
// rewrite them in place.
class MappedFile {
 public:
  // not_found if there is no such file, invalid_argument if it is no regular file or is empty,
  // internal for anything else; the message names the path.
  static Result<std::shared_ptr<const MappedFile>> open(const std::string& path);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  Bytes bytes() const { return {data_, size_}; }

 private:
  MappedFile(const std::byte* data, size_t size) : data_(data), size_(size) {}

  const std::byte* data_;
  size_t size_;
};

}  // namespace hymt
