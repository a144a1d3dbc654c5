#include "tokenizer/normalize.h"

#include <unicode/bytestream.h>
#include <unicode/normalizer2.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/utf8.h"

namespace hymt::tokenizer {
namespace {

constexpr size_t kLongRun = 32;  // no language stacks so many; below, insertion is the cheapest

const icu::Normalizer2& nfc() {
  static const icu::Normalizer2* const instance = [] {
    UErrorCode status = U_ZERO_ERROR;
    const icu::Normalizer2* found = icu::Normalizer2::getNFCInstance(status);
    HYMT_CHECK(U_SUCCESS(status) && found);  // built into the library
    return found;
  }();
  return *instance;
}

// Whether the character's canonical decomposition starts with a combining mark: canonical
// reordering can move it, or parts of it.
bool is_movable(char32_t c) {
  return c >= 0x300 &&
         u_getIntPropertyValue(static_cast<UChar32>(c), UCHAR_LEAD_CANONICAL_COMBINING_CLASS) != 0;
}

void append_ordered(std::string& out, const std::vector<char32_t>& run) {
  std::vector<std::pair<uint8_t, char32_t>> marks;
  icu::UnicodeString decomposed;
  for (const char32_t c : run) {
    if (!nfc().getDecomposition(static_cast<UChar32>(c), decomposed)) {
      decomposed.setTo(static_cast<UChar32>(c));
    }
    for (int32_t i = 0; i < decomposed.length(); i = decomposed.moveIndex32(i, 1)) {
      const UChar32 part = decomposed.char32At(i);
      marks.emplace_back(u_getCombiningClass(part), static_cast<char32_t>(part));
    }
  }
  std::stable_sort(marks.begin(), marks.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& mark : marks) utf8::append(out, mark.second);
}

}  // namespace

std::string order_long_mark_runs(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  std::vector<char32_t> run;
  size_t run_start = 0;
  const auto flush = [&](size_t end) {
    if (run.size() >= kLongRun) {
      append_ordered(out, run);
    } else {
      out.append(text.substr(run_start, end - run_start));
    }
    run.clear();
  };
  for (size_t at = 0; at < text.size();) {
    const size_t start = at;
    const char32_t c = utf8::next(text, at);
    if (is_movable(c)) {
      if (run.empty()) run_start = start;
      run.push_back(c);
      continue;
    }
    if (!run.empty()) flush(start);
    out.append(text.substr(start, at - start));
  }
  if (!run.empty()) flush(text.size());
  return out;
}

std::string to_nfc(std::string_view text) {
  HYMT_CHECK(text.size() < INT32_MAX / 2);
  const std::string ordered = order_long_mark_runs(text);
  std::string out;
  icu::StringByteSink<std::string> sink(&out);
  UErrorCode status = U_ZERO_ERROR;
  nfc().normalizeUTF8(0, icu::StringPiece(ordered), sink, nullptr, status);
  HYMT_CHECK(U_SUCCESS(status));
  return out;
}

}  // namespace hymt::tokenizer
