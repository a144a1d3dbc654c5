// A whole translator over a fake model: real tokenizer (of bytes), real engine, scripted answers.
#pragma once

#include <gtest/gtest.h>

#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "base/utf8.h"
#include "support/fake_runner.h"
#include "translate/translator.h"

namespace hymt::test {

inline constexpr Token kBos = 256;
inline constexpr Token kUserEnd = 257;
inline constexpr Token kEos = 258;
inline constexpr int kVocab = 259;

// One token a byte, and three special ones: characters come in pieces.
inline std::unique_ptr<const tokenizer::Tokenizer> byte_tokenizer() {
  tokenizer::Vocabulary vocabulary;
  for (int byte = 0; byte < 256; ++byte) {
    vocabulary.tokens.emplace_back(1, static_cast<char>(byte));
    vocabulary.kinds.push_back(tokenizer::TokenKind::normal);
  }
  for (const char* special : {"<|startoftext|>", "<|user_end|>", "<|eos|>"}) {
    vocabulary.tokens.emplace_back(special);
    vocabulary.kinds.push_back(tokenizer::TokenKind::control);
  }
  auto made = tokenizer::Tokenizer::make(std::move(vocabulary));
  EXPECT_TRUE(made) << (made ? "" : made.error().message);
  return made ? *std::move(made) : nullptr;
}

inline translate::Request request_for(std::vector<std::string> texts) {
  translate::Request request;
  request.texts = std::move(texts);
  request.source = "en";
  request.target = "fr";
  return request;
}

inline model::ModelCard card(std::vector<std::string> languages = {}) {
  model::ModelCard card;
  card.name = "fake";
  card.chat.bos = {kBos};
  card.chat.user_end = {kUserEnd};
  card.stop_ids = {kEos};
  card.languages = std::move(languages);
  return card;
}

// What the model answers to the text of a prompt (what stands behind its first empty line).
using Answers = std::function<std::string(std::string_view text)>;

inline FakeRunner::Logits answering(Answers answers) {
  return deterministic([answers = std::move(answers)](std::span<const Token> history) {
    std::string prompt;
    size_t at = 1;
    for (; at < history.size() && history[at] != kUserEnd; ++at) {
      prompt += static_cast<char>(history[at]);
    }
    const size_t gap = prompt.find("\n\n");
    const std::string answer = answers(gap == std::string::npos ? prompt : prompt.substr(gap + 2));
    const size_t n_said = history.size() - at - 1;
    return n_said < answer.size() ? static_cast<Token>(static_cast<uint8_t>(answer[n_said])) : kEos;
  });
}

inline std::string shout(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  return out;
}

// Hears a translation and holds it to the contract of a Sink.
class Recorder final : public translate::Sink {
 public:
  void on_delta(size_t index, std::string_view text) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    EXPECT_FALSE(reply_) << "a delta after the end";
    EXPECT_FALSE(done_.contains(index)) << "a delta after its translation";
    EXPECT_FALSE(text.empty());
    EXPECT_TRUE(utf8::valid(text)) << "a broken character in a delta";
    deltas_[index].emplace_back(text);
    if (on_delta_) on_delta_();
  }
  void on_translation(size_t index, const translate::Translation& translation) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    EXPECT_FALSE(reply_) << "a translation after the end";
    EXPECT_TRUE(done_.emplace(index, translation).second) << "told twice";
    EXPECT_EQ(joined(index), translation.text);
  }
  void on_finish(const Result<translate::Reply>& reply) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    EXPECT_FALSE(reply_) << "finished twice";
    if (reply) {
      EXPECT_EQ(reply->translations.size(), done_.size());
      for (const auto& [index, translation] : done_) {
        EXPECT_EQ(reply->translations.at(index).text, translation.text);
      }
    }
    reply_ = reply;
    finished_.notify_all();
  }

  Result<translate::Reply> wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    finished_.wait(lock, [this] { return reply_.has_value(); });
    return *reply_;
  }
  bool heard_anything() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return reply_ || !deltas_.empty() || !done_.empty();
  }
  bool heard_text() {
    const std::lock_guard<std::mutex> lock(mutex_);
    return !deltas_.empty() || !done_.empty();
  }
  std::vector<std::string> deltas(size_t index) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return deltas_[index];
  }
  void when_delta(std::function<void()> f) {
    const std::lock_guard<std::mutex> lock(mutex_);
    on_delta_ = std::move(f);
  }

 private:
  std::string joined(size_t index) {
    std::string all;
    for (const auto& delta : deltas_[index]) all += delta;
    return all;
  }

  std::mutex mutex_;
  std::condition_variable finished_;
  std::map<size_t, std::vector<std::string>> deltas_;
  std::map<size_t, translate::Translation> done_;
  std::optional<Result<translate::Reply>> reply_;
  std::function<void()> on_delta_;
};

struct RigOptions {
  int n_blocks = 512;  // of 16 tokens
  int n_context = 4096;
  engine::Options engine;
  translate::memory::Options memory;
  translate::memory::Store* store = nullptr;
  translate::Translator::Options translator;
  std::vector<std::string> languages;
  std::function<Result<void>()> before_forward;
};

struct Rig {
  explicit Rig(Answers answers = shout, RigOptions options = {})
      : tokenizer(byte_tokenizer()),
        engine(make_runner(std::move(answers), options), options.engine, clock, metrics),
        memory(engine, options.store, options.memory, clock, metrics),
        translator(card(options.languages), *tokenizer, memory, options.translator) {}

  // The reply to one text; a failure is a test's failure.
  translate::Translation translate(const std::string& text) {
    translate::Request request;
    request.texts = {text};
    request.target = "fr";
    return translate(request).translations.at(0);
  }
  translate::Reply translate(const translate::Request& request) {
    const auto recorder = std::make_shared<Recorder>();
    const auto ticket = translator.translate(request, recorder);
    EXPECT_TRUE(ticket) << (ticket ? "" : ticket.error().message);
    if (!ticket) return {.translations = std::vector<translate::Translation>(request.texts.size())};
    const auto reply = recorder->wait();
    EXPECT_TRUE(reply) << (reply ? "" : reply.error().message);
    return reply ? *reply : translate::Reply{};
  }
  Error refused(const translate::Request& request) {
    const auto recorder = std::make_shared<Recorder>();
    const auto ticket = translator.translate(request, recorder);
    EXPECT_FALSE(ticket);
    EXPECT_FALSE(recorder->heard_anything());
    return ticket ? Error{} : ticket.error();
  }

  SteadyClock clock;
  metrics::Registry metrics;
  std::unique_ptr<const tokenizer::Tokenizer> tokenizer;
  engine::Engine engine;
  translate::memory::Memory memory;
  translate::Translator translator;

 private:
  static std::unique_ptr<model::Runner> make_runner(Answers answers, const RigOptions& options) {
    auto limits = small_limits(options.n_blocks);
    limits.max_batch_tokens = 512;
    limits.max_batch_asks = 64;
    auto runner = std::make_unique<FakeRunner>(kVocab, limits, answering(std::move(answers)),
                                               options.n_context);
    runner->before_forward = options.before_forward;
    return runner;
  }
};

}  // namespace hymt::test
