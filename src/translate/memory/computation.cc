#include "translate/memory/computation.h"

namespace hymt::translate::memory {

using engine::FinishReason;

Delivery cut_short(const Computation& computation, const Member& member, FinishReason reason) {
  const auto& tokens = computation.tokens;
  Delivery delivery{member.listener, member.told, tokens.size(), {}, {}};
  if (reason == FinishReason::deadline && tokens.empty() && member.told == 0) {
    delivery.error = Error{
        Code::deadline, "the deadline passed before the first token was computed", "deadline_ms"};
    return delivery;
  }
  delivery.finish.emplace();
  delivery.finish->candidates.push_back({tokens, reason, 0});
  delivery.finish->prompt_tokens = computation.n_prompt;
  return delivery;
}

void deliver(const std::vector<Delivery>& deliveries, const std::vector<engine::Token>& tokens) {
  for (const auto& [listener, from, to, finish, error, recalled] : deliveries) {
    for (size_t i = from; i < to; ++i) listener->on_token(tokens[i], nullptr);
    if (error) {
      listener->on_error(*error);
    } else if (finish && recalled) {
      listener->on_recall(*finish);
    } else if (finish) {
      listener->on_finish(*finish);
    }
  }
}

}  // namespace hymt::translate::memory
