// The page and the demo model inside the binary are the files of the source tree.
#include "cli/embedded.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <map>
#include <set>
#include <string>

#include "support/shared_data.h"

namespace hymt::cli {
namespace {

namespace fs = std::filesystem;

std::string text(Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

std::map<std::string, std::string> files_of_the_page() {
  const fs::path web = test::source_path("web");
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::recursive_directory_iterator(web))
    if (entry.is_regular_file())
      files[(fs::path("/") / fs::relative(entry.path(), web)).generic_string()] =
          test::read_file(entry.path());
  return files;
}

TEST(Embedded, HoldsEveryFileOfThePageByteForByte) {
  std::map<std::string, std::string> embedded;
  for (const Asset& asset : assets()) embedded[std::string(asset.path)] = text(asset.bytes);
  const auto files = files_of_the_page();
  ASSERT_GT(files.size(), 10u);
  ASSERT_EQ(embedded.size(), files.size());
  for (const auto& [path, content] : files)
    EXPECT_TRUE(embedded[path] == content) << path << " differs";
}

TEST(Embedded, NamesTheTypeThatABrowserNeeds) {
  const std::map<std::string, std::string_view> types = {
      {".html", "text/html; charset=utf-8"},
      {".css", "text/css; charset=utf-8"},
      {".js", "text/javascript; charset=utf-8"},
      {".svg", "image/svg+xml"},
  };
  for (const Asset& asset : assets())
    EXPECT_EQ(asset.content_type, types.at(fs::path(asset.path).extension())) << asset.path;
}

TEST(Embedded, TagsEachContentDifferentlyAndInQuotes) {
  std::set<std::string_view> tags;
  for (const Asset& asset : assets()) {
    EXPECT_THAT(std::string(asset.etag), testing::MatchesRegex("\"[0-9a-f]+\"")) << asset.path;
    EXPECT_TRUE(tags.insert(asset.etag).second) << asset.path << " shares the tag of another";
  }
}

TEST(Embedded, IsOrderedByPath) {
  EXPECT_TRUE(std::ranges::is_sorted(assets(), {}, &Asset::path));
}

TEST(Embedded, HoldsTheDemoModelAlignedForMapping) {
  const Bytes model = demo_model();
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(model.data()) % 64, 0u);
  EXPECT_TRUE(text(model) == test::read_file(test::source_path("models/demo.gguf")));
}

TEST(Embedded, KeepsThePageSmall) {
  size_t total = 0;
  for (const Asset& asset : assets()) total += asset.bytes.size();
  EXPECT_LT(total, 100'000u);
}

}  // namespace
}  // namespace hymt::cli
