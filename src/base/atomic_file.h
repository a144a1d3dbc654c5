// A file that appears under its name only when it is complete.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/mapped_file.h"
#include "base/result.h"

namespace hymt {

// Writes to a file without a name in the same folder, or to "<path>.part-<pid>-<n>" where the file
// system has no such files. commit() renames it over the path; without commit the destructor
// removes it: an error, a full disk or a killed process leave whatever was there before. One thread
// at a time.
class AtomicFile {
 public:
  // invalid_argument if the path exists and is no regular file; a symbolic link is followed.
  static Result<std::unique_ptr<AtomicFile>> create(const std::string& path);
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  // Takes the space for the whole file now, where the file system can: a disk too small is then
  // found out before the work and not after it.
  Result<void> reserve(uint64_t size);
  Result<void> write(Bytes bytes);  // appends; small pieces are gathered
  // Everything on disk, then the name. Nothing may be written afterwards.
  Result<void> commit();

 private:
  AtomicFile(std::string path, std::string part, int fd);
  Result<void> write_through(const std::byte* data, size_t size);
  tl::unexpected<Error> failed(const char* doing, int error) const;

  std::string path_, part_;  // part_ is empty while the file has no name
  int fd_;
  std::string buffer_;
  uint64_t reserved_ = 0, written_ = 0;
};

}  // namespace hymt
