// Byte counts for people.
#pragma once

#include <cstdint>
#include <string>

namespace hymt::cli {

// In powers of 1000, as disks and downloads are measured: "16.3 MB".
std::string size_text(uint64_t bytes);

}  // namespace hymt::cli
