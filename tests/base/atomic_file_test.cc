#include "base/atomic_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "support/shared_data.h"
#include "support/temp_folder.h"

namespace hymt {
namespace {

using testing::HasSubstr;

Bytes bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

size_t files_in(const std::string& folder) {
  size_t count = 0;
  for ([[maybe_unused]] const auto& one : std::filesystem::directory_iterator(folder)) ++count;
  return count;
}

// Files of this process cannot grow past a size while it lives, as on a full disk.
class SmallDisk {
 public:
  explicit SmallDisk(rlim_t size) {
    before_signal_ = std::signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit small{size, before_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallDisk() {
    setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, before_signal_);
  }

 private:
  rlimit before_{};
  void (*before_signal_)(int) = nullptr;
};

TEST(AtomicFile, AppearsWholeWhenItIsCommitted) {
  const test::TempFolder folder;
  const std::string path = folder / "f";
  const std::string large(3 << 20, 'x');
  {
    auto file = AtomicFile::create(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->reserve(10 << 20));
    ASSERT_TRUE((*file)->write(bytes_of("head ")));
    ASSERT_TRUE((*file)->write(bytes_of(large)));
    ASSERT_TRUE((*file)->write(bytes_of(" tail")));
    EXPECT_FALSE(std::filesystem::exists(path));
    ASSERT_TRUE((*file)->commit());
  }
  EXPECT_EQ(test::read_file(path), "head " + large + " tail");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(AtomicFile, KeepsTheModeOfWhatItReplaces) {
  const test::TempFolder folder;
  const std::string path = folder / "private";
  std::ofstream(path) << "old";
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  auto file = AtomicFile::create(path);
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->commit());
  struct stat status {};
  ASSERT_EQ(::stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0600u);
}

TEST(AtomicFile, WithoutCommitWhatWasThereStays) {
  const test::TempFolder folder;
  const std::string path = folder / "f";
  std::ofstream(path) << "before";
  {
    auto file = AtomicFile::create(path);
    ASSERT_TRUE(file);
    ASSERT_TRUE((*file)->write(bytes_of("after")));
  }
  EXPECT_EQ(test::read_file(path), "before");
  EXPECT_EQ(files_in(folder.path()), 1u);
}

TEST(AtomicFile, AFullDiskIsAnErrorAndLeavesNothing) {
  const test::TempFolder folder;
  const std::string path = folder / "f";
  const SmallDisk disk(1 << 20);
  for (const bool reserve : {true, false}) {
    auto file = AtomicFile::create(path);
    ASSERT_TRUE(file);
    auto done = reserve ? (*file)->reserve(4 << 20) : Result<void>{};
    for (int i = 0; i < 4 && done; ++i) done = (*file)->write(bytes_of(std::string(1 << 20, 'x')));
    ASSERT_FALSE(done);
    EXPECT_THAT(done.error().message, HasSubstr(path + ": writing"));
    file->reset();
    EXPECT_EQ(files_in(folder.path()), 0u);
  }
}

TEST(AtomicFile, AProcessThatIsKilledLeavesNothing) {
  const test::TempFolder folder;
  const std::string path = folder / "f";
  EXPECT_EXIT(
      {
        auto file = AtomicFile::create(path);
        (void)(*file)->write(bytes_of(std::string(2 << 20, 'x')));
        raise(SIGKILL);
      },
      testing::KilledBySignal(SIGKILL), "");
  // Where the file system has no files without names, the part remains.
  for (const auto& one : std::filesystem::directory_iterator(folder.path())) {
    EXPECT_NE(one.path().string(), path);
  }
  EXPECT_LE(files_in(folder.path()), 1u);
}

TEST(AtomicFile, NeverReplacesADeviceOrAFolder) {
  EXPECT_EQ(AtomicFile::create("/dev/null").error().code, Code::invalid_argument);
  EXPECT_EQ(AtomicFile::create("/tmp").error().code, Code::invalid_argument);
  const auto missing = AtomicFile::create("/no/such/folder/f");
  ASSERT_FALSE(missing);
  EXPECT_EQ(missing.error().code, Code::not_found);
  EXPECT_THAT(missing.error().message, HasSubstr("/no/such/folder/f"));
}

TEST(AtomicFile, WritesThroughASymbolicLink) {
  const test::TempFolder folder;
  std::ofstream(folder / "real") << "before";
  std::filesystem::create_symlink(folder / "real", folder / "link");
  auto file = AtomicFile::create(folder / "link");
  ASSERT_TRUE(file);
  ASSERT_TRUE((*file)->write(bytes_of("after")));
  ASSERT_TRUE((*file)->commit());
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(test::read_file(folder / "real"), "after");
}

}  // namespace
}  // namespace hymt
