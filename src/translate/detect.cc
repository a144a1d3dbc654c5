#include "translate/detect.h"

#include <algorithm>

#include "base/utf8.h"
#include "translate/scripts.h"

namespace hymt::translate {
namespace {

constexpr size_t kHead = 32 * 1024;  // bytes of a text that are read

// How many letters of a script say about as much as one Chinese character: the scripts of a mixed
// text are compared by what they say, not by their length.
double letters_a_character(Script script) {
  switch (script) {
    case Script::han:
      return 1;
    case Script::hiragana:
    case Script::katakana:
    case Script::hangul:
      return 2;
    default:
      return 4;
  }
}

struct Share {
  Script script = Script::other;
  double part = 0;  // of the whole text, 0 to 1
};

// The script of the sentence. Latin is the script of names, units and code in any language: it
// has to outweigh another one two to one.
Share main_script(const ScriptCounts& counts) {
  constexpr double kForeignWords = 0.5;
  std::array<double, kScripts> weights{};
  double total = 0;
  Share best;
  for (size_t i = 0; i < kScripts; ++i) {
    const auto script = static_cast<Script>(i);
    weights[i] = counts.letters[i] / letters_a_character(script);
    total += weights[i];
  }
  const auto weight = [&](Script script) -> double& {
    return weights[static_cast<size_t>(script)];
  };
  weight(Script::han) += weight(Script::hiragana) + weight(Script::katakana);
  weight(Script::hiragana) = weight(Script::katakana) = 0;
  weight(Script::latin) *= kForeignWords;
  for (size_t i = 0; i < kScripts; ++i) {
    if (weights[i] > best.part) best = {static_cast<Script>(i), weights[i]};
  }
  if (best.script == Script::latin) best.part /= kForeignWords;
  if (total > 0) best.part /= total;
  return best;
}

}  // namespace

Detection Detector::detect(std::string_view text) const {
  text = text.substr(0, kHead);
  text = text.substr(0, utf8::complete_prefix(text));
  const ScriptCounts counts = count_scripts(text);
  if (counts.total() == 0) return {};
  const Share share = main_script(counts);

  const auto by_profile = [&] {
    const Verdict verdict = profiles_.judge(share.script, text);
    return Detection{std::string(verdict.code), share.part * verdict.certainty};
  };
  const auto sure = [&](std::string_view code) { return Detection{std::string(code), share.part}; };
  switch (share.script) {
    case Script::latin:
    case Script::cyrillic:
    case Script::arabic:
    case Script::devanagari:
      return by_profile();
    case Script::han:
    case Script::hiragana:
    case Script::katakana:
      return sure(han_.detect(text, counts));
    case Script::hangul:
      return sure("ko");
    case Script::bengali:
      return sure("bn");
    case Script::gujarati:
      return sure("gu");
    case Script::tamil:
      return sure("ta");
    case Script::telugu:
      return sure("te");
    case Script::thai:
      return sure("th");
    case Script::khmer:
      return sure("km");
    case Script::myanmar:
      return sure("my");
    case Script::tibetan:
      return sure("bo");
    case Script::hebrew:
      return sure("he");
    case Script::mongolian:
      return sure("mn");
    case Script::other:
      break;
  }
  return {};
}

}  // namespace hymt::translate
