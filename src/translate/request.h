// One translation as every dialect asks for it, and its answer. Defaults are design's.
#pragma once

#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "engine/request.h"

namespace hymt::translate {

inline constexpr int kNoLimit = std::numeric_limits<int>::max();

// Tokens that the translation of so many may need: more than any of the 421,800 pairs of lines that
// the NTREX news give in 38 languages, in the 7B model's tokens.
constexpr int longest_answer(int n_tokens) {
  return 64 + 24 * n_tokens;
}

struct Request {
  std::vector<std::string> texts;  // answered in order
  std::string source = "auto";     // a code, or auto
  std::string target;
  std::string context;
  std::vector<std::pair<std::string, std::string>> glossary;  // term, its translation
  std::string style;
  int alternatives = 0;  // 0-8
  // Of each paragraph. Whatever max_tokens, an answer may have no more than longest_answer() of its
  // paragraph, unless its length is being forced by min_tokens or ignore_eos.
  engine::Params params = {.max_tokens = kNoLimit};
  std::vector<std::string> stop;  // texts that end an answer
  bool recall = true;             // may be answered by what is remembered or just being computed
  bool remember = true;           // its answer may be given to others
  std::string client;
  engine::Priority priority = engine::Priority::interactive;
  std::optional<Time> deadline;
};

struct Translation {
  std::string text;
  std::string source;     // code; empty: not recognised, or no letters
  bool detected = false;  // source was auto
  engine::FinishReason finish_reason = engine::FinishReason::stop;  // its worst paragraph's
  bool cached = false;  // all of it was remembered, nothing was computed
  std::vector<std::string> warnings;
  std::vector<std::string> alternatives;
};

// A text ends as the worst of its parts did: what a caller must know of goes first.
engine::FinishReason worse(engine::FinishReason a, engine::FinishReason b);

struct Usage {
  int input_tokens = 0;
  int output_tokens = 0;
};

struct Reply {
  std::vector<Translation> translations;  // [texts]
  std::string model;
  Usage usage;
};

struct Detection {
  std::string language;   // code; empty: unknown
  double confidence = 0;  // 0 to 1
};

}  // namespace hymt::translate
