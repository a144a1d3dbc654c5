#include "base/mapped_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace hymt {

Result<std::shared_ptr<const MappedFile>> MappedFile::open(const std::string& path) {
  // Non-blocking, so that a FIFO given by mistake is refused below instead of waited for.
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (fd < 0) {
    const int error = errno;
    return fail(error == ENOENT ? Code::not_found : Code::internal,
                path + ": " + std::strerror(error));
  }
  struct stat status {};
  const bool known = ::fstat(fd, &status) == 0;
  if (!known || !S_ISREG(status.st_mode) || status.st_size == 0) {
    ::close(fd);
    const char* what =
        known && S_ISREG(status.st_mode) ? ": the file is empty" : ": not a regular file";
    return fail(Code::invalid_argument, path + what);
  }
  const auto size = static_cast<size_t>(status.st_size);
  void* data = ::mmap(nullptr, size, PROT_READ, MAP_SHARED, fd, 0);
  const int error = errno;
  ::close(fd);
  if (data == MAP_FAILED) return fail(Code::internal, path + ": " + std::strerror(error));
  return std::shared_ptr<const MappedFile>(
      new MappedFile(static_cast<const std::byte*>(data), size));
}

MappedFile::~MappedFile() {
  ::munmap(const_cast<std::byte*>(data_), size_);
}

}  // namespace hymt
