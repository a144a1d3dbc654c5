#include "cli/machine_memory.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>

namespace hymt::cli {
namespace {

std::optional<int64_t> number_in(const std::string& path) {
  std::ifstream file(path);
  int64_t value = 0;
  if (file >> value) return value;  // "max" is no number
  return std::nullopt;
}

// The value of a line "key value ..."; nullopt: there is none.
std::optional<int64_t> entry_of(const std::string& path, const std::string& wanted) {
  std::ifstream file(path);
  for (std::string line, key; std::getline(file, line);) {
    std::istringstream words(line);
    if (int64_t value = 0; words >> key >> value && key == wanted) return value;
  }
  return std::nullopt;
}

std::optional<int64_t> left_in_group(const std::string& folder, const char* limit,
                                     const char* used) {
  const auto most = number_in(folder + limit), now = number_in(folder + used);
  if (!most || !now) return std::nullopt;
  int64_t left = *most - *now;
  for (const char* pages : {"active_file", "inactive_file"}) {
    left += entry_of(folder + "/memory.stat", pages).value_or(0);
  }
  return std::max<int64_t>(0, left);
}

}  // namespace

int64_t available_memory(const std::string& root) {
  constexpr int64_t kGuess = 1 << 20;  // kB
  int64_t available = 1024 * entry_of(root + "/proc/meminfo", "MemAvailable:").value_or(kGuess);
  const std::string group = root + "/sys/fs/cgroup";
  for (const auto& left :
       {left_in_group(group, "/memory.max", "/memory.current"),
        left_in_group(group + "/memory", "/memory.limit_in_bytes", "/memory.usage_in_bytes")}) {
    if (left) available = std::min(available, *left);
  }
  return available;
}

}  // namespace hymt::cli
