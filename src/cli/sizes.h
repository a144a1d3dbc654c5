// Byte counts for people, and from them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace hymt::cli {

// In powers of 1000, as disks and downloads are measured: "16.3 MB".
std::string size_text(uint64_t bytes);

// "512MiB", "4g", "1000000"; nullopt: no size.
std::optional<int64_t> parse_size(std::string text);

}  // namespace hymt::cli
