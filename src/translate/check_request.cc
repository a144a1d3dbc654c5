#include "translate/check_request.h"

#include <algorithm>

#include "base/utf8.h"
#include "engine/sampler.h"

namespace hymt::translate {
namespace {

constexpr int kMaxAlternatives = 8;
constexpr int kMaxBeams = 8;
constexpr size_t kMaxStops = 16;
constexpr size_t kMaxStopBytes = 256;
constexpr size_t kMaxTerms = 1000;
constexpr size_t kMaxTermBytes = 1000;
constexpr size_t kMaxStyleBytes = 1000;

Result<void> need(bool ok, const std::string& message, const char* field) {
  if (ok) return {};
  return fail(Code::invalid_argument, message, field);
}

Result<void> check_utf8(std::string_view text, const std::string& what, const char* field) {
  const size_t at = utf8::find_invalid(text);
  return need(at == std::string_view::npos,
              what + " is not valid UTF-8 (byte " + std::to_string(at) + ")", field);
}

Result<void> check_glossary(const Request& request) {
  HYMT_TRY(need(request.glossary.size() <= kMaxTerms,
                "glossary can have at most " + std::to_string(kMaxTerms) + " terms", "glossary"));
  for (const auto& [term, translation] : request.glossary) {
    for (const auto& side : {term, translation}) {
      HYMT_TRY(check_utf8(side, "a term of the glossary", "glossary"));
      HYMT_TRY(need(!side.empty() && side.size() <= kMaxTermBytes,
                    "terms and translations of the glossary must have 1 to " +
                        std::to_string(kMaxTermBytes) + " bytes",
                    "glossary"));
      HYMT_TRY(need(side.find_first_of("\r\n") == std::string::npos,
                    "terms and translations of the glossary must not have line breaks",
                    "glossary"));
    }
  }
  return {};
}

}  // namespace

Result<void> check_request(const Request& request, size_t max_texts, int n_vocab) {
  HYMT_TRY(need(request.texts.size() <= max_texts,
                "text can have at most " + std::to_string(max_texts) + " entries, not " +
                    std::to_string(request.texts.size()),
                "text"));
  for (size_t i = 0; i < request.texts.size(); ++i) {
    const std::string what = request.texts.size() == 1 ? "text" : "text " + std::to_string(i);
    HYMT_TRY(check_utf8(request.texts[i], what, "text"));
  }
  HYMT_TRY(check_utf8(request.context, "context", "context"));
  HYMT_TRY(check_utf8(request.style, "style", "style"));
  HYMT_TRY(need(request.style.size() <= kMaxStyleBytes,
                "style can have at most " + std::to_string(kMaxStyleBytes) + " bytes", "style"));
  HYMT_TRY(check_glossary(request));

  HYMT_TRY(need(request.stop.size() <= kMaxStops,
                "stop can have at most " + std::to_string(kMaxStops) + " strings", "stop"));
  for (const auto& stop : request.stop) {
    HYMT_TRY(check_utf8(stop, "stop", "stop"));
    HYMT_TRY(need(!stop.empty() && stop.size() <= kMaxStopBytes,
                  "a stop string must have 1 to " + std::to_string(kMaxStopBytes) + " bytes",
                  "stop"));
  }
  HYMT_TRY(need(request.alternatives >= 0 && request.alternatives <= kMaxAlternatives,
                "alternatives must be from 0 to " + std::to_string(kMaxAlternatives),
                "alternatives"));
  HYMT_TRY(need(request.params.beams <= kMaxBeams,
                "beams must be from 1 to " + std::to_string(kMaxBeams), "beams"));
  return engine::validate(request.params, n_vocab);
}

}  // namespace hymt::translate
