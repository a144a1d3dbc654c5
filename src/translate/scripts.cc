#include "translate/scripts.h"

#include <unicode/uchar.h>
#include <unicode/uscript.h>

#include <numeric>
#include <optional>

#include "base/utf8.h"

namespace hymt::translate {
namespace {

std::optional<Script> script_of(char32_t character) {
  const auto code = static_cast<UChar32>(character);
  if (!u_isalpha(code) && (U_GET_GC_MASK(code) & U_GC_M_MASK) == 0) return std::nullopt;
  UErrorCode status = U_ZERO_ERROR;
  switch (uscript_getScript(code, &status)) {
    case USCRIPT_COMMON:
    case USCRIPT_INHERITED:
      return std::nullopt;
    case USCRIPT_LATIN:
      return Script::latin;
    case USCRIPT_CYRILLIC:
      return Script::cyrillic;
    case USCRIPT_ARABIC:
      return Script::arabic;
    case USCRIPT_HAN:
      return Script::han;
    case USCRIPT_HIRAGANA:
      return Script::hiragana;
    case USCRIPT_KATAKANA:
      return Script::katakana;
    case USCRIPT_HANGUL:
      return Script::hangul;
    case USCRIPT_DEVANAGARI:
      return Script::devanagari;
    case USCRIPT_BENGALI:
      return Script::bengali;
    case USCRIPT_GUJARATI:
      return Script::gujarati;
    case USCRIPT_TAMIL:
      return Script::tamil;
    case USCRIPT_TELUGU:
      return Script::telugu;
    case USCRIPT_THAI:
      return Script::thai;
    case USCRIPT_KHMER:
      return Script::khmer;
    case USCRIPT_MYANMAR:
      return Script::myanmar;
    case USCRIPT_TIBETAN:
      return Script::tibetan;
    case USCRIPT_HEBREW:
      return Script::hebrew;
    case USCRIPT_MONGOLIAN:
      return Script::mongolian;
    default:
      return Script::other;
  }
}

}  // namespace

int ScriptCounts::total() const {
  return std::accumulate(letters.begin(), letters.end(), 0);
}

ScriptCounts count_scripts(std::string_view text) {
  ScriptCounts counts;
  for (size_t at = 0; at < text.size();) {
    if (const auto script = script_of(utf8::next(text, at))) {
      ++counts.letters[static_cast<size_t>(*script)];
    }
  }
  return counts;
}

}  // namespace hymt::translate
