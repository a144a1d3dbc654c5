#include "translate/cld2.h"

#include <cstdio>  // the library's header needs it and does not say so
// Before the next, which needs it too.
#include <cld2/public/encodings.h>
// Last.
#include <cld2/public/compact_lang_det.h>

namespace hymt::translate {
namespace {

CLD2::Language detect(std::string_view text, int flags, Guesses& guesses) {
  const CLD2::CLDHints no_hints{nullptr, nullptr, CLD2::UNKNOWN_ENCODING, CLD2::UNKNOWN_LANGUAGE};
  // The library leaves these alone when it gives up early.
  CLD2::Language languages[3] = {CLD2::UNKNOWN_LANGUAGE, CLD2::UNKNOWN_LANGUAGE,
                                 CLD2::UNKNOWN_LANGUAGE};
  int percents[3] = {0, 0, 0};
  double scores[3] = {0, 0, 0};
  int text_bytes = 0;
  int valid_bytes = 0;
  const auto best = CLD2::ExtDetectLanguageSummaryCheckUTF8(
      text.data(), static_cast<int>(text.size()), /*is_plain_text=*/true, &no_hints, flags,
      languages, percents, scores, nullptr, &text_bytes, &guesses.reliable, &valid_bytes);
  for (size_t i = 0; i < guesses.best.size(); ++i) {
    const bool known = languages[i] != CLD2::UNKNOWN_LANGUAGE;
    guesses.best[i] = known ? Guess{CLD2::LanguageCode(languages[i]), percents[i]} : Guess{};
    if (guesses.best[i].code == "iw") guesses.best[i].code = "he";
  }
  return best;
}

}  // namespace

Guesses guess_languages(std::string_view text) {
  Guesses guesses;
  if (detect(text, 0, guesses) != CLD2::UNKNOWN_LANGUAGE) return guesses;
  detect(text, CLD2::kCLDFlagBestEffort, guesses);
  guesses.reliable = false;
  return guesses;
}

}  // namespace hymt::translate
