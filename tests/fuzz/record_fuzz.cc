// Any bytes as what a shared store gives back: nothing, or an answer within its bounds that encodes
// to itself. The first byte says how many of the others are the key.
#include <cstdint>

#include "base/check.h"
#include "translate/memory/record.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace hymt::translate;
  constexpr int kVocab = 120818;
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data + 1), size - 1);
  const std::string_view key = bytes.substr(0, data[0]);
  const std::string_view rest = bytes.substr(key.size());

  if (const auto answer = memory::unseal(rest, key)) {
    HYMT_CHECK(memory::seal(key, *answer).size() <= rest.size());
  }
  const std::string record = memory::seal(key, rest);
  HYMT_CHECK(memory::unseal(record, key) == rest);

  const auto finish = memory::decode(rest, kVocab);
  if (!finish) return 0;
  HYMT_CHECK(!finish->candidates.empty() && memory::is_complete(*finish));
  for (const auto& candidate : finish->candidates) {
    HYMT_CHECK(candidate.tokens.size() <= rest.size());
    for (const auto token : candidate.tokens) HYMT_CHECK(token >= 0 && token < kVocab);
  }
  HYMT_CHECK(memory::decode(memory::encode(*finish), kVocab).has_value());
  return 0;
}
