#include "base/atomic_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

namespace hymt {
namespace {

constexpr size_t kBufferBytes = 1 << 20;
constexpr int kMaxAttempts = 100;  // at a name that nobody has

std::string folder_of(const std::string& path) {
  const std::string folder = std::filesystem::path(path).parent_path().string();
  return folder.empty() ? "." : folder;
}

// Calls take(name) with names beside `target` until one is free. `path` is for the message.
template <class Take>
Result<std::string> with_free_name(const std::string& target, const std::string& path, Take take) {
  for (int attempt = 0;; ++attempt) {
    std::string name =
        target + ".part-" + std::to_string(::getpid()) + "-" + std::to_string(attempt);
    if (take(name)) return name;
    if (errno != EEXIST || attempt == kMaxAttempts) {
      return fail(errno == ENOENT ? Code::not_found : Code::internal,
                  path + ": cannot write: " + std::strerror(errno));
    }
  }
}

}  // namespace

Result<std::unique_ptr<AtomicFile>> AtomicFile::create(const std::string& path) {
  std::error_code error;
  std::string target = path;
  if (std::filesystem::is_symlink(path, error)) {
    const auto real = std::filesystem::canonical(path, error);
    if (!error) target = real.string();
  }
  struct stat status {};
  const bool exists = ::stat(target.c_str(), &status) == 0;
  if (exists && !S_ISREG(status.st_mode)) {
    return fail(Code::invalid_argument, path + ": exists and is no regular file");
  }
  // Whom it was closed to it stays closed to.
  const mode_t mode = exists ? status.st_mode & 0777 : 0666;
  const auto keep_mode = [&](int file) {
    if (exists) ::fchmod(file, mode);
  };
  // Without a name at first, where the file system knows such files: then not even a killed
  // process leaves anything.
  const int unnamed = ::open(folder_of(target).c_str(), O_WRONLY | O_TMPFILE | O_CLOEXEC, mode);
  if (unnamed >= 0) {
    keep_mode(unnamed);
    return std::unique_ptr<AtomicFile>(new AtomicFile(target, "", unnamed));
  }

  int fd = -1;
  std::string part = HYMT_TRY(with_free_name(target, path, [&](const std::string& name) {
    fd = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
    return fd >= 0;
  }));
  keep_mode(fd);
  return std::unique_ptr<AtomicFile>(new AtomicFile(std::move(target), std::move(part), fd));
}

AtomicFile::AtomicFile(std::string path, std::string part, int fd)
    : path_(std::move(path)), part_(std::move(part)), fd_(fd) {}

AtomicFile::~AtomicFile() {
  if (fd_ < 0) return;
  ::close(fd_);
  if (!part_.empty()) ::unlink(part_.c_str());
}

tl::unexpected<Error> AtomicFile::failed(const char* doing, int error) const {
  return fail(Code::internal,
              path_ + ": " + doing + ": " + std::strerror(error) +
                  (error == ENOSPC ? "; free some space, nothing was changed" : ""));
}

Result<void> AtomicFile::reserve(uint64_t size) {
  if (::fallocate(fd_, 0, 0, static_cast<off_t>(size)) != 0) {
    // Only an answer that writing would get too; some file systems cannot reserve.
    if (errno == ENOSPC || errno == EFBIG || errno == EDQUOT) {
      const std::string doing = "writing " + std::to_string(size) + " bytes";
      return failed(doing.c_str(), errno);
    }
    return {};
  }
  reserved_ = size;
  return {};
}

Result<void> AtomicFile::write(Bytes bytes) {
  if (buffer_.size() + bytes.size() <= kBufferBytes) {
    buffer_.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    return {};
  }
  HYMT_TRY(write_through(reinterpret_cast<const std::byte*>(buffer_.data()), buffer_.size()));
  buffer_.clear();
  if (bytes.size() < kBufferBytes) return write(bytes);
  return write_through(bytes.data(), bytes.size());
}

Result<void> AtomicFile::write_through(const std::byte* data, size_t size) {
  while (size > 0) {
    const ssize_t done = ::write(fd_, data, size);
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return failed("writing", errno);
    data += done;
    size -= static_cast<size_t>(done);
    written_ += static_cast<uint64_t>(done);
  }
  return {};
}

Result<void> AtomicFile::commit() {
  HYMT_TRY(write_through(reinterpret_cast<const std::byte*>(buffer_.data()), buffer_.size()));
  buffer_.clear();
  if (reserved_ > written_ && ::ftruncate(fd_, static_cast<off_t>(written_)) != 0) {
    return failed("writing", errno);
  }
  if (::fsync(fd_) != 0) return failed("writing", errno);
  if (part_.empty()) {
    const std::string self = "/proc/self/fd/" + std::to_string(fd_);
    part_ = HYMT_TRY(with_free_name(path_, path_, [&](const std::string& name) {
      return ::linkat(AT_FDCWD, self.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
    }));
  }
  if (::rename(part_.c_str(), path_.c_str()) != 0) return failed("renaming", errno);
  ::close(fd_);
  fd_ = -1;
  // The name, too, should survive a power cut; where the folder cannot be synchronised it will
  // be a moment later.
  const int folder = ::open(folder_of(path_).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    ::fsync(folder);
    ::close(folder);
  }
  return {};
}

}  // namespace hymt
