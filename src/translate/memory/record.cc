#include "translate/memory/record.h"

#include <xxhash.h>

#include <algorithm>
#include <bit>
#include <cstdio>
#include <limits>

#include "translate/memory/bytes.h"

namespace hymt::translate::memory {
namespace {

using engine::FinishReason;
using engine::Token;

// Changes with every change of what is written here.
constexpr std::string_view kFormat = "hymt1";
constexpr size_t kChecksumBytes = 8;

void put_float(std::string& out, float value) {
  put_number(out, std::bit_cast<uint32_t>(value));
}

void put_tokens(std::string& out, const std::vector<Token>& tokens) {
  put_number(out, tokens.size());
  for (const Token token : tokens) put_number(out, static_cast<uint32_t>(token));
}

bool is_complete(FinishReason reason) {
  return reason == FinishReason::stop || reason == FinishReason::length ||
         reason == FinishReason::loop;
}

std::string checksum(std::string_view bytes) {
  uint64_t hash = XXH3_64bits(bytes.data(), bytes.size());
  std::string out;
  for (size_t i = 0; i < kChecksumBytes; ++i, hash >>= 8) out += static_cast<char>(hash);
  return out;
}

std::optional<engine::Candidate> read_candidate(ByteReader& reader, int n_vocab) {
  engine::Candidate candidate;
  const auto reason = reader.number();
  const auto score = reader.number();
  const auto n_tokens = reader.number();
  if (!reason || *reason > 0xFF || !is_complete(static_cast<FinishReason>(*reason))) return {};
  if (!score || *score > std::numeric_limits<uint32_t>::max()) return {};
  if (!n_tokens || *n_tokens > reader.left().size()) return {};  // each has a byte at least
  candidate.reason = static_cast<FinishReason>(*reason);
  candidate.score = std::bit_cast<float>(static_cast<uint32_t>(*score));
  candidate.tokens.reserve(*n_tokens);
  for (uint64_t i = 0; i < *n_tokens; ++i) {
    const auto token = reader.number();
    if (!token || *token >= static_cast<uint64_t>(n_vocab)) return {};
    candidate.tokens.push_back(static_cast<Token>(*token));
  }
  return candidate;
}

}  // namespace

std::string key_of(std::string_view identity, const engine::Request& request, int fitting_tokens) {
  const engine::Params& params = request.params;
  std::string key;
  put_bytes(key, kFormat);
  put_bytes(key, identity);
  put_tokens(key, request.prompt);
  put_tokens(key, request.stop_ids);
  const int left = fitting_tokens - static_cast<int>(request.prompt.size());
  put_number(key, static_cast<uint32_t>(std::min(params.max_tokens, left)));
  put_number(key, static_cast<uint32_t>(params.min_tokens));
  put_number(key, params.ignore_eos);
  put_number(key, static_cast<uint32_t>(params.beams));
  if (params.beams > 1) {
    put_float(key, params.length_penalty);
    put_number(key, params.early_stopping);
  }
  put_number(key, params.temperature > 0);
  if (params.temperature > 0) {
    put_float(key, params.temperature);
    put_number(key, static_cast<uint32_t>(params.top_k));
    put_float(key, params.top_p);
    put_float(key, params.repetition_penalty);
    put_number(key, params.seed);
  }
  return key;
}

bool is_complete(const engine::Finish& finish) {
  return std::all_of(finish.candidates.begin(), finish.candidates.end(),
                     [](const auto& candidate) { return is_complete(candidate.reason); });
}

std::string encode(const engine::Finish& finish) {
  std::string out;
  put_number(out, finish.candidates.size());
  for (const auto& candidate : finish.candidates) {
    put_number(out, static_cast<uint64_t>(candidate.reason));
    put_float(out, candidate.score);
    put_tokens(out, candidate.tokens);
  }
  return out;
}

std::optional<engine::Finish> decode(std::string_view bytes, int n_vocab) {
  ByteReader reader(bytes);
  const auto n_candidates = reader.number();
  if (!n_candidates || *n_candidates < 1 || *n_candidates > engine::kMaxBeams) return {};
  engine::Finish finish;
  for (uint64_t i = 0; i < *n_candidates; ++i) {
    auto candidate = read_candidate(reader, n_vocab);
    if (!candidate) return {};
    finish.candidates.push_back(*std::move(candidate));
  }
  if (!reader.left().empty()) return {};
  return finish;
}

std::string name_of(std::string_view key) {
  const XXH128_hash_t hash = XXH3_128bits(key.data(), key.size());
  char name[64];
  std::snprintf(name, sizeof name, "hymt:memory:%016llx%016llx",
                static_cast<unsigned long long>(hash.high64),
                static_cast<unsigned long long>(hash.low64));
  return name;
}

std::string seal(std::string_view key, std::string_view answer) {
  std::string record;
  put_bytes(record, key);
  put_bytes(record, answer);
  return record + checksum(record);
}

std::optional<std::string_view> unseal(std::string_view record, std::string_view key) {
  if (record.size() < kChecksumBytes) return {};
  const auto body = record.substr(0, record.size() - kChecksumBytes);
  if (checksum(body) != record.substr(body.size())) return {};
  ByteReader reader(body);
  const auto its_key = reader.bytes();
  const auto answer = reader.bytes();
  if (!its_key || *its_key != key || !answer || !reader.left().empty()) return {};
  return answer;
}

}  // namespace hymt::translate::memory
