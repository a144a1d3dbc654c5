#include "cli/sizes.h"

#include <CLI/CLI.hpp>
#include <array>
#include <charconv>
#include <cstdio>

namespace hymt::cli {

std::string size_text(uint64_t bytes) {
  if (bytes < 1000) return std::to_string(bytes) + " bytes";
  constexpr std::array<const char*, 5> kUnits = {"kB", "MB", "GB", "TB", "PB"};
  double value = static_cast<double>(bytes) / 1000;
  size_t unit = 0;
  for (; value >= 999.95 && unit + 1 < kUnits.size(); ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %s", value, kUnits[unit]);
  return text;
}

std::optional<int64_t> parse_size(std::string text) {
  try {
    if (!CLI::AsSizeValue(false)(text).empty()) return std::nullopt;
  } catch (const CLI::Error&) {  // it throws at some texts, answers at others
    return std::nullopt;
  }
  int64_t bytes = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return bytes;
}

}  // namespace hymt::cli
