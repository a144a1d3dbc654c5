#include "support/shared_data.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace hymt::test {

std::string source_path(const std::string& relative) {
  const char* source = std::getenv("HYMT_SOURCE");
  return (source ? std::string(source) : std::string(".")) + "/" + relative;
}

std::optional<std::string> shared_folder() {
  const char* shared = std::getenv("HYMT_SHARED");
  std::string folder = shared ? shared : source_path("../shared");
  if (!std::filesystem::is_directory(folder)) return std::nullopt;
  return folder;
}

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in.good()) << "cannot read " << path;
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

}  // namespace hymt::test
