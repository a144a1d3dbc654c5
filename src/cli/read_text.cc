#include "cli/read_text.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/utf8.h"

namespace hymt::cli {

Result<void> check_utf8(std::string_view text, const std::string& what) {
  const size_t at = utf8::find_invalid(text);
  if (at == std::string_view::npos) return {};
  const auto line =
      1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return fail(Code::invalid_argument, what + " is not valid UTF-8 (line " + std::to_string(line) +
                                          ", byte " + std::to_string(at) +
                                          "): convert it first, for example with iconv");
}

Result<std::string> read_text(const std::string& path) {
  const bool standard = path == "-";
  const std::string what = standard ? "standard input" : path;
  std::error_code ignored;
  if (!standard && std::filesystem::is_directory(path, ignored)) {
    return fail(Code::invalid_argument, path + " is a folder, not a file");
  }
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(
      standard ? nullptr : std::fopen(path.c_str(), "rb"),
      [](std::FILE* file) { return file ? std::fclose(file) : 0; });
  std::FILE* const file = standard ? stdin : opened.get();
  if (!file) return fail(Code::not_found, "cannot read " + path + ": " + std::strerror(errno));
  std::string text;
  char buffer[1 << 16];
  while (const size_t n = std::fread(buffer, 1, sizeof buffer, file)) text.append(buffer, n);
  if (std::ferror(file)) {
    return fail(Code::internal, "reading " + what + " failed: " + std::strerror(errno));
  }
  HYMT_TRY(check_utf8(text, what));
  return text;
}

Result<std::vector<std::pair<std::string, std::string>>> read_pairs(const std::string& path) {
  const std::string text = HYMT_TRY(read_text(path));
  std::vector<std::pair<std::string, std::string>> pairs;
  int number = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    std::string line = text.substr(begin, end - begin);
    begin = end + 1;
    ++number;
    if (line.ends_with('\r')) line.pop_back();
    if (line.empty() || line.front() == '#') continue;
    const size_t tab = line.find('\t');
    if (tab == std::string::npos || line.find('\t', tab + 1) != std::string::npos) {
      return fail(Code::invalid_argument, path + ", line " + std::to_string(number) +
                                              ": expected two columns with a tab between them");
    }
    pairs.emplace_back(line.substr(0, tab), line.substr(tab + 1));
  }
  return pairs;
}

}  // namespace hymt::cli
