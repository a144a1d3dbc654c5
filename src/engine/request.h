// What is asked of the engine, and what it tells back. Tokens only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/result.h"
#include "model/batch.h"

namespace hymt::engine {

using tokenizer::Token;

inline constexpr int kMaxBeams = 9;  // eight alternatives beside an answer

struct Params {
  int max_tokens = 512;     // >= 1
  int min_tokens = 0;       // stop ids are banned before
  bool ignore_eos = false;  // stop ids are banned throughout
  float temperature = 0;    // 0: greedy; the next four are then unused
  int top_k = 20;           // 0: off
  float top_p = 0.6f;       // (0, 1]
  float repetition_penalty = 1.05f;
  uint64_t seed = 0;  // same request, same seed, same answer
  int beams = 1;      // 1-kMaxBeams
  float length_penalty = 1;
  bool early_stopping = false;
  int logprobs = 0;  // report the best n with each token
};

enum class Priority : uint8_t { interactive, bulk };

// Who waits for an answer, and how long.
struct Caller {
  std::string client;  // for fair shares
  Priority priority = Priority::interactive;
  std::optional<Time> deadline;
};

struct Request {
  std::vector<Token> prompt;  // not empty
  std::vector<Token> stop_ids;
  Params params;
  std::string client;  // for fair shares
  Priority priority = Priority::interactive;
  std::optional<Time> deadline;
};

// The earlier of two deadlines; none at all is the latest.
inline std::optional<Time> earlier(std::optional<Time> a, std::optional<Time> b) {
  return a && b ? std::min(a, b) : a ? a : b;
}

enum class FinishReason : uint8_t { stop, length, loop, cancelled, deadline };
std::string_view name(FinishReason reason);

struct TokenLogprobs {
  Token token;
  float logprob;
  std::vector<std::pair<Token, float>> best;
};

// One finished answer; the stop token is not part of it.
struct Candidate {
  std::vector<Token> tokens;
  FinishReason reason = FinishReason::stop;
  float score = 0;  // beams only
};

struct Finish {
  std::vector<Candidate> candidates;  // best first; at least one
  int prompt_tokens = 0;
  int cached_tokens = 0;  // of the prompt, found computed already
};

// Hears of one request, on the engine's thread: must be quick and must not block. The engine keeps
// it alive until finished or failed.
class Listener {
 public:
  virtual ~Listener() = default;
  // New tokens in order (not for beams, which tell only at the end).
  virtual void on_token(Token token, const TokenLogprobs* logprobs) = 0;
  // `deadline` has passed. Whoever asks for several callers answers with the next one's (nullopt:
  // it has all the time), and the request goes on; with the same one it ends.
  virtual std::optional<Time> on_deadline(Time deadline) { return deadline; }
  // Exactly one of these two, last.
  virtual void on_finish(const Finish& finish) = 0;
  virtual void on_error(const Error& error) = 0;
};

}  // namespace hymt::engine
