// Where tests find data that does not ship with the project.
#pragma once

#include <optional>
#include <string>

namespace hymt::test {

// The shared data folder: $HYMT_SHARED, else ../shared beside the source tree; nullopt if absent.
std::optional<std::string> shared_folder();

// A file of the source tree, e.g. source_path("tests/data/x.json").
std::string source_path(const std::string& relative);

// The whole file; fails the test if it cannot be read.
std::string read_file(const std::string& path);

}  // namespace hymt::test

// Defines `name` as shared_folder() / relative, or skips the test, saying what is missing.
#define HYMT_SHARED_OR_SKIP(name, relative)                          \
  if (!::hymt::test::shared_folder())                                \
    GTEST_SKIP() << "needs the shared data folder: set HYMT_SHARED"; \
  const std::string name = *::hymt::test::shared_folder() + "/" + (relative)
