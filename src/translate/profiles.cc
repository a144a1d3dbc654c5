#include "translate/profiles.h"

#include <unicode/uchar.h>

#include <array>
#include <bit>
#include <string>

#include "base/utf8.h"
#include "translate/cld2.h"
#include "translate/profile_data.h"

namespace hymt::translate {
namespace {

using Scores = std::array<double, kProfiles.size()>;

// Calls f(word) for each run of letters and marks, in lower case.
template <class F>
void each_word(std::string_view text, F f) {
  std::string word;
  for (size_t at = 0; at < text.size();) {
    const auto c = static_cast<UChar32>(utf8::next(text, at));
    if (u_isalpha(c) || (U_GET_GC_MASK(c) & U_GC_M_MASK) != 0) {
      utf8::append(word, static_cast<char32_t>(u_tolower(c)));
    } else if (!word.empty()) {
      f(word);
      word.clear();
    }
  }
  if (!word.empty()) f(word);
}

// A sign that k profiles share counts 1/k for each of them.
void add(Scores& scores, uint32_t mask, double weight) {
  weight /= std::popcount(mask);
  for (size_t i = 0; i < scores.size(); ++i) {
    if (mask >> i & 1) scores[i] += weight;
  }
}

// Where CLD2's guess is counted: the profile of that language, else that of all others.
size_t profile_of(std::string_view code, Script script) {
  size_t found = kProfiles.size();
  for (size_t i = 0; i < kProfiles.size(); ++i) {
    if (kProfiles[i].script != script) continue;
    if (kProfiles[i].code == code) return i;
    if (kProfiles[i].code.empty()) found = i;
  }
  return found;
}

void add_guesses(Scores& scores, Script script, int n_words, bool accents, const Guesses& guesses) {
  // Somewhat more than a sentence scores by its own words and letters.
  constexpr double kBase = 0.5;
  constexpr double kPerWord = 0.3;
  // What an unreliable guess is worth. Of a language that is not ours, hardly anything: there are
  // a hundred of them, and somebody who asks for a translation most likely means one of ours.
  constexpr double kUnreliable = 0.5;
  constexpr double kUnreliableForeign = 0.05;
  // English is guessed for the sake of names in it; letters with accents speak against it.
  constexpr double kEnglishWithAccents = 0.3;
  constexpr double kTwin = 0.55;
  for (const auto& guess : guesses.best) {
    if (guess.code.empty()) break;
    const size_t at = profile_of(guess.code, script);
    double trust = 1;
    if (!guesses.reliable) trust = kProfiles[at].code.empty() ? kUnreliableForeign : kUnreliable;
    if (accents && guess.code == "en") trust *= kEnglishWithAccents;
    const double weight = (kBase + kPerWord * n_words) * guess.percent / 100 * trust;
    // CLD2 mistakes Malay and Indonesian for each other in a fifth of all sentences: what it says
    // of the one is nearly as good for the other.
    const bool twins = guess.code == "ms" || guess.code == "id";
    scores[at] += twins ? kTwin * weight : weight;
    if (twins) scores[profile_of(guess.code == "ms" ? "id" : "ms", script)] += (1 - kTwin) * weight;
  }
}

}  // namespace

Profiles::Profiles() {
  static_assert(kProfiles.size() <= 32, "a Mask has a bit for each profile");
  for (size_t i = 0; i < kProfiles.size(); ++i) {
    const auto& profile = kProfiles[i];
    const Mask bit = Mask{1} << i;
    for (size_t begin = 0; begin < profile.words.size();) {
      const size_t end = std::min(profile.words.find(' ', begin), profile.words.size());
      words_[profile.words.substr(begin, end - begin)] |= bit;
      begin = end + 1;
    }
    for (size_t at = 0; at < profile.letters.size();) {
      letters_[utf8::next(profile.letters, at)] |= bit;
    }
  }
}

Verdict Profiles::judge(Script script, std::string_view text) const {
  constexpr double kLetter = 0.5;

  Mask here = 0;  // the profiles of this script
  for (size_t i = 0; i < kProfiles.size(); ++i) {
    if (kProfiles[i].script == script) here |= Mask{1} << i;
  }
  Scores scores{};
  int n_words = 0;
  each_word(text, [&](const std::string& word) {
    ++n_words;
    const auto found = words_.find(word);
    if (found != words_.end() && (found->second & here)) add(scores, found->second & here, 1);
  });
  bool accents = false;
  for (size_t at = 0; at < text.size();) {
    const auto c = static_cast<UChar32>(utf8::next(text, at));
    const auto found = letters_.find(static_cast<char32_t>(u_tolower(c)));
    if (found != letters_.end() && (found->second & here)) {
      add(scores, found->second & here, kLetter);
      accents = true;
    }
  }
  add_guesses(scores, script, n_words, accents, guess_languages(text));
  size_t best = 0;
  double sum = 0;
  for (size_t i = 0; i < scores.size(); ++i) {
    sum += scores[i];
    if (scores[i] > scores[best]) best = i;
  }
  if (sum == 0) return {};
  return {kProfiles[best].code, scores[best] / sum};
}

}  // namespace hymt::translate
