#include "translate/memory/record.h"

#include <gtest/gtest.h>

#include <functional>
#include <random>
#include <set>

namespace hymt::translate::memory {
namespace {

using engine::Candidate;
using engine::Finish;
using engine::FinishReason;
using engine::Request;

constexpr int kFitting = 1000;
constexpr int kVocab = 120818;

Request greedy() {
  Request request;
  request.prompt = {5, 300, 120000};
  request.stop_ids = {2};
  return request;
}
Request sampled() {
  Request request = greedy();
  request.params.temperature = 0.7f;
  request.params.seed = 1;
  return request;
}
Request searched() {
  Request request = greedy();
  request.params.beams = 4;
  return request;
}

using Change = std::function<void(Request&)>;

TEST(RecordKey, EverythingThatCanChangeAnAnswerChangesTheKey) {
  const std::vector<std::pair<Request, std::vector<Change>>> cases = {
      {greedy(),
       {[](Request& r) { r.prompt.push_back(1); }, [](Request& r) { r.prompt[1] = 301; },
        [](Request& r) {
          r.prompt = {5, 300};
        },
        [](Request& r) { r.stop_ids = {3}; }, [](Request& r) { r.stop_ids = {}; },
        // The same numbers, split otherwise.
        [](Request& r) {
          r.prompt = {5, 300}, r.stop_ids = {120000, 2};
        },
        [](Request& r) { r.params.max_tokens = 511; }, [](Request& r) { r.params.min_tokens = 1; },
        [](Request& r) { r.params.ignore_eos = true; }, [](Request& r) { r.params.beams = 2; },
        [](Request& r) { r.params.temperature = 1e-6f; }}},
      {sampled(),
       {[](Request& r) { r.params.temperature = 0.71f; }, [](Request& r) { r.params.top_k = 21; },
        [](Request& r) { r.params.top_p = 0.61f; },
        [](Request& r) { r.params.repetition_penalty = 1.06f; },
        [](Request& r) { r.params.seed = 2; },
        [](Request& r) { r.params.seed = uint64_t{1} << 63; }}},
      {searched(),
       {[](Request& r) { r.params.beams = 5; }, [](Request& r) { r.params.length_penalty = 0.9f; },
        [](Request& r) { r.params.early_stopping = true; }}},
  };
  std::set<std::string> keys;
  size_t n = 0;
  for (const auto& [base, changes] : cases) {
    keys.insert(key_of("model", base, kFitting)), ++n;
    for (const Change& change : changes) {
      Request other = base;
      change(other);
      keys.insert(key_of("model", other, kFitting)), ++n;
    }
  }
  keys.insert(key_of("mode", greedy(), kFitting)), ++n;
  keys.insert(key_of("", greedy(), kFitting)), ++n;
  EXPECT_EQ(keys.size(), n);
}

TEST(RecordKey, WhatHasNoEffectDoesNotChangeTheKey) {
  const auto same = [](const Request& base, const Change& change) {
    Request other = base;
    change(other);
    return key_of("model", base, kFitting) == key_of("model", other, kFitting);
  };
  for (const Change& change : std::vector<Change>{
           [](Request& r) { r.client = "other"; },
           [](Request& r) { r.priority = engine::Priority::bulk; },
           [](Request& r) { r.deadline = Time(std::chrono::seconds(9)); },
       }) {
    EXPECT_TRUE(same(greedy(), change));
    EXPECT_TRUE(same(sampled(), change));
    EXPECT_TRUE(same(searched(), change));
  }
  for (const Change& change : std::vector<Change>{
           [](Request& r) { r.params.seed = 9; }, [](Request& r) { r.params.top_k = 9; },
           [](Request& r) { r.params.top_p = 0.9f; },
           [](Request& r) { r.params.repetition_penalty = 2; }}) {
    EXPECT_TRUE(same(greedy(), change));
    EXPECT_TRUE(same(searched(), change));
  }
  EXPECT_TRUE(same(greedy(), [](Request& r) { r.params.length_penalty = 2; }));
}

TEST(RecordKey, TheLengthIsWhatContextAndPoolLeaveOfIt) {
  Request any = greedy(), more = greedy();
  any.params.max_tokens = 100'000'000;
  more.params.max_tokens = 200'000'000;
  EXPECT_EQ(key_of("model", any, kFitting), key_of("model", more, kFitting));
  EXPECT_NE(key_of("model", any, kFitting), key_of("model", any, kFitting + 1));
}

Finish one(std::vector<engine::Token> tokens, FinishReason reason = FinishReason::stop) {
  Finish finish;
  finish.candidates.push_back({std::move(tokens), reason, -1.25f});
  return finish;
}

TEST(RecordAnswer, ComesBackAsItWas) {
  Finish finish = one({0, 1, 127, 128, 16383, 16384, kVocab - 1});
  for (int i = 1; i < engine::kMaxBeams; ++i) {
    finish.candidates.push_back({{i}, i % 2 ? FinishReason::length : FinishReason::loop, 0.5f * i});
  }
  finish.candidates.push_back({});
  finish.candidates.pop_back();
  const auto back = decode(encode(finish), kVocab);
  ASSERT_TRUE(back);
  ASSERT_EQ(back->candidates.size(), finish.candidates.size());
  for (size_t i = 0; i < finish.candidates.size(); ++i) {
    EXPECT_EQ(back->candidates[i].tokens, finish.candidates[i].tokens);
    EXPECT_EQ(back->candidates[i].reason, finish.candidates[i].reason);
    EXPECT_EQ(back->candidates[i].score, finish.candidates[i].score);
  }
  EXPECT_TRUE(decode(encode(one({})), kVocab)) << "an answer without words is one";
}

TEST(RecordAnswer, OnlyWholeAnswersAreComplete) {
  for (const auto reason : {FinishReason::stop, FinishReason::length, FinishReason::loop}) {
    EXPECT_TRUE(is_complete(one({1}, reason)));
  }
  for (const auto reason : {FinishReason::cancelled, FinishReason::deadline}) {
    EXPECT_FALSE(is_complete(one({1}, reason)));
    EXPECT_FALSE(decode(encode(one({1}, reason)), kVocab));
    Finish mixed = one({1});
    mixed.candidates.push_back({{1}, reason, 0});
    EXPECT_FALSE(is_complete(mixed));
  }
}

TEST(RecordAnswer, TokensThatTheModelDoesNotHaveAreRefused) {
  EXPECT_TRUE(decode(encode(one({99})), 100));
  EXPECT_FALSE(decode(encode(one({100})), 100));
  EXPECT_FALSE(decode(encode(one({-1})), 100));
}

// Whatever is cut off, added or changed: no crash, no token out of range, and no more memory than
// the bytes account for.
TEST(RecordAnswer, AnyBytesDecodeOrAreRefused) {
  Finish finish = one({0, 127, 300, 20000});
  finish.candidates.push_back({{1, 2}, FinishReason::length, 3});
  const std::string whole = encode(finish);
  const auto check = [&](const std::string& bytes) {
    const auto decoded = decode(bytes, 30000);
    if (!decoded) return;
    EXPECT_GE(decoded->candidates.size(), 1u);
    for (const auto& candidate : decoded->candidates) {
      EXPECT_LE(candidate.tokens.size(), bytes.size());
      for (const auto token : candidate.tokens) EXPECT_TRUE(token >= 0 && token < 30000);
    }
  };
  for (size_t n = 0; n < whole.size(); ++n) EXPECT_FALSE(decode(whole.substr(0, n), 30000));
  EXPECT_FALSE(decode(whole + '\0', 30000));
  for (size_t at = 0; at < whole.size(); ++at) {
    for (int byte = 0; byte < 256; ++byte) {
      std::string changed = whole;
      changed[at] = static_cast<char>(byte);
      check(changed);
    }
  }
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    std::string bytes(random() % 24, '\0');
    for (char& c : bytes) c = static_cast<char>(random() % 4 ? random() % 8 : random());
    check(bytes);
  }
  check(std::string("\x01\x00\x00\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 13));
}

TEST(Record, IsTakenOnlyForItsOwnKeyAndUnharmed) {
  const std::string key = "a key", answer("an \0answer", 10);
  const std::string record = seal(key, answer);
  ASSERT_TRUE(unseal(record, key));
  EXPECT_EQ(*unseal(record, key), answer);
  for (const char* other : {"", "a kez", "a ke", "a key2"}) EXPECT_FALSE(unseal(record, other));
  for (size_t n = 0; n < record.size(); ++n) EXPECT_FALSE(unseal(record.substr(0, n), key));
  EXPECT_FALSE(unseal(record + 'x', key));
  EXPECT_FALSE(unseal("x" + record, key));
  for (size_t at = 0; at < record.size(); ++at) {
    for (int bit = 0; bit < 8; ++bit) {
      std::string changed = record;
      changed[at] = static_cast<char>(changed[at] ^ (1 << bit));
      EXPECT_FALSE(unseal(changed, key));
    }
  }
}

TEST(Record, NamesTellKeysApart) {
  std::set<std::string> names;
  for (int i = 0; i < 1000; ++i) names.insert(name_of("key " + std::to_string(i)));
  EXPECT_EQ(names.size(), 1000u);
  EXPECT_EQ(name_of("x"), name_of("x"));
  EXPECT_TRUE(name_of("x").starts_with("hymt:"));
}

}  // namespace
}  // namespace hymt::translate::memory
