// How much memory this process may still take.
#pragma once

#include <cstdint>
#include <string>

namespace hymt::cli {

// Bytes that new allocations can take without swapping, as the kernel estimates it; in a container
// (cgroup v1 or v2), at most what its limit leaves, pages of files counted as free in both. 1 GiB
// where no /proc tells. `root` is put before the paths: for tests.
int64_t available_memory(const std::string& root = "");

}  // namespace hymt::cli
