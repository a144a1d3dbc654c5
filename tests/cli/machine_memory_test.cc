#include "cli/machine_memory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/temp_folder.h"

namespace hymt::cli {
namespace {

class MachineMemory : public testing::Test {
 protected:
  void write(const std::string& path, const std::string& text) {
    const std::filesystem::path file = root() + path;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file) << text;
  }
  std::string root() const { return folder_.path(); }

  test::TempFolder folder_;
};

// As Linux 6 writes it: some lines have no unit.
constexpr const char* kMeminfo =
    "MemTotal:       65536 kB\nHugePages_Total:       0\nMemAvailable:    4096 kB\n";

TEST_F(MachineMemory, IsWhatTheKernelEstimates) {
  write("/proc/meminfo", kMeminfo);
  EXPECT_EQ(available_memory(root()), 4096 * 1024);
}

TEST_F(MachineMemory, IsBoundedByAContainersLimit) {
  write("/proc/meminfo", kMeminfo);
  write("/sys/fs/cgroup/memory.max", "1000000\n");
  write("/sys/fs/cgroup/memory.current", "900000\n");
  write("/sys/fs/cgroup/memory.stat", "anon 1\nactive_file 20000\ninactive_file 300000\n");
  EXPECT_EQ(available_memory(root()), 1000000 - 900000 + 320000);
}

TEST_F(MachineMemory, AContainerWithoutALimitIsAsLargeAsTheMachine) {
  write("/proc/meminfo", kMeminfo);
  write("/sys/fs/cgroup/memory.max", "max\n");
  write("/sys/fs/cgroup/memory.current", "900000\n");
  EXPECT_EQ(available_memory(root()), 4096 * 1024);
}

TEST_F(MachineMemory, KnowsTheFirstVersionOfControlGroups) {
  write("/proc/meminfo", kMeminfo);
  write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "1000\n");
  write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "2000\n");
  EXPECT_EQ(available_memory(root()), 0);
}

TEST_F(MachineMemory, IsGuessedWhereNobodyTells) {
  EXPECT_EQ(available_memory(root()), int64_t{1} << 30);
}

}  // namespace
}  // namespace hymt::cli
