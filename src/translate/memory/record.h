// What is remembered, as bytes: the key of a request, its answer, and the record of both that
// replicas share. Pure functions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "engine/request.h"

namespace hymt::translate::memory {

// Everything that can change the answer, so that equal keys mean equal answers: `identity` (which
// program, model and kernels compute), the prompt, the stop ids, and the parameters as far as they
// have an effect: those of sampling only where there is sampling, those of beams only where there
// are several, and of the length what `fitting_tokens` (prompt and answer together) leaves of it.
std::string key_of(std::string_view identity, const engine::Request& request, int fitting_tokens);

// Whether the same request always ends like this: it was not cut short by its caller or a clock.
bool is_complete(const engine::Finish& finish);

// Candidates only; the finish is complete.
std::string encode(const engine::Finish& finish);
// Any bytes; nullopt if they are no complete answer of tokens in [0, n_vocab).
std::optional<engine::Finish> decode(std::string_view bytes, int n_vocab);

// The name under which a record lies in a shared store: a digest, so two keys may have the same.
std::string name_of(std::string_view key);
std::string seal(std::string_view key, std::string_view answer);
// The answer in a record of exactly this key; nullopt for any other bytes.
std::optional<std::string_view> unseal(std::string_view record, std::string_view key);

}  // namespace hymt::translate::memory
