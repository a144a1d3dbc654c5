// Same text, same bytes: a real model answers real sentences alone, one after the other, on one
// thread, with nothing shared; then the same sentences at random moments in each other's company,
// in engines that cut, share and pre-empt as much as they can. Not one token may differ.
#include <gtest/gtest.h>

#include <condition_variable>
#include <fstream>
#include <mutex>
#include <random>

#include "checkpoint/quantize.h"
#include "cpu/cpu_runner.h"
#include "engine/engine.h"
#include "model/model.h"
#include "support/shared_data.h"
#include "translate/prompt.h"

namespace hymt::engine {
namespace {

using checkpoint::DType;

struct Case {
  std::string kernels;
  DType type;
};

struct Setting {
  const char* name;
  int threads;
  int n_blocks;  // of 16 tokens
  Options engine;
  bool preempts;
};

const Setting kSettings[] = {
    {"wide batches on two threads", 2, 2048, {}, false},
    {"prompts in chunks of a few tokens, on one thread",
     1,
     2048,
     {.max_sequences = 6, .step_tokens = 7},
     false},
    {"so few blocks that sequences are thrown out and begin anew",
     2,
     40,
     {.max_sequences = 32, .step_tokens = 64},
     true},
    {"the same without shared prefixes",
     2,
     40,
     {.max_sequences = 32, .step_tokens = 64, .share_prefixes = false},
     true},
};

// Counts down as requests end, so that the next ones arrive in their midst.
class Arrivals {
 public:
  void begin() {
    const std::lock_guard<std::mutex> lock(mutex_);
    ++under_way_;
  }
  void end() {
    const std::lock_guard<std::mutex> lock(mutex_);
    --under_way_;
    changed_.notify_all();
  }
  void wait_for_at_most(int n) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return under_way_ <= n; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  int under_way_ = 0;
};

// Hears an answer both ways: as it streams, and whole at the end.
class Hearer final : public Listener {
 public:
  explicit Hearer(Arrivals& arrivals) : arrivals_(arrivals) { arrivals_.begin(); }

  void on_token(Token token, const TokenLogprobs*) override { streamed.push_back(token); }
  void on_finish(const Finish& finish) override {
    whole = finish.candidates.at(0).tokens;
    arrivals_.end();
  }
  void on_error(const Error& error) override {
    ADD_FAILURE() << error.message;
    arrivals_.end();
  }

  std::vector<Token> streamed, whole;  // complete once its arrival has ended

 private:
  Arrivals& arrivals_;
};

class SameBytes : public testing::TestWithParam<Case> {
 protected:
  // The demo model as it is (BF16), or quantised as `hymt quantize` does it.
  Result<void> load() {
    auto file = HYMT_TRY(model::open_checkpoint(test::source_path("models/demo.gguf")));
    if (GetParam().type != DType::bf16) {
      ThreadPool pool(2);
      source_ = std::move(file);
      file = HYMT_TRY(checkpoint::quantize(source_, GetParam().type, pool));
    }
    model_ = HYMT_TRY(model::load(std::move(file), std::nullopt));
    tokenizer_ = HYMT_TRY(tokenizer::Tokenizer::make(model_.vocabulary));
    return {};
  }

  // Both ways through every language that the model knows.
  void read_prompts(const std::string& corpus, int n_per_direction) {
    for (const char* code : {"zh", "es", "fr", "de", "ja"}) {
      std::ifstream file(corpus + "/test.en-" + code + ".tsv");
      std::string line;
      for (int i = 0; i < 2 * n_per_direction && std::getline(file, line); ++i) {
        const size_t tab = line.find('\t');
        const bool from_english = i % 2 == 0;
        add_prompt(from_english ? code : "en",
                   from_english ? line.substr(0, tab) : line.substr(tab + 1));
      }
    }
  }

  void add_prompt(const std::string& target, const std::string& text) {
    translate::Wishes wishes;
    wishes.target = translate::find_language(target);
    prompts_.push_back(translate::prompt_tokens(
        model_.card.chat, *tokenizer_,
        translate::translation_prompt(model_.card.generation, wishes, text)));
  }

  Request request(const std::vector<Token>& prompt) const {
    Request out;
    out.prompt = prompt;
    out.stop_ids = model_.card.stop_ids;
    out.params.max_tokens = 60;
    return out;
  }

  std::unique_ptr<model::Runner> runner(ThreadPool& pool, const Setting& setting) const {
    cpu::Options options;
    options.kernels = GetParam().kernels;
    options.n_blocks = setting.n_blocks;
    options.max_batch_tokens = setting.engine.step_tokens;
    options.max_batch_asks = setting.engine.max_sequences;
    return cpu::make_runner(model_, options, pool).value();
  }

  std::vector<std::vector<Token>> answers_alone() const {
    const Setting alone = {"alone", 1, 128, {.max_sequences = 1, .share_prefixes = false}, false};
    ThreadPool pool(1);
    metrics::Registry registry;
    Engine engine(runner(pool, alone), alone.engine, clock_, registry);
    std::vector<std::vector<Token>> answers;
    for (const auto& prompt : prompts_) {
      Arrivals arrivals;
      const auto hearer = std::make_shared<Hearer>(arrivals);
      EXPECT_TRUE(engine.submit(request(prompt), hearer));
      arrivals.wait_for_at_most(0);
      answers.push_back(hearer->whole);
    }
    return answers;
  }

  checkpoint::Checkpoint source_;
  model::Model model_;
  std::unique_ptr<const tokenizer::Tokenizer> tokenizer_;
  std::vector<std::vector<Token>> prompts_;
  SteadyClock clock_;
};

uint64_t counter(const metrics::Registry& registry, const std::string& name) {
  const std::string text = registry.render();
  const auto at = text.find("\n" + name + " ");
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + name.size() + 2));
}

TEST_P(SameBytes, AnswersAreThoseGivenAlone) {
  HYMT_SHARED_OR_SKIP(corpus, "data/corpus");
  const auto loaded = load();
  ASSERT_TRUE(loaded) << loaded.error().message;
  read_prompts(corpus, GetParam().kernels == "scalar" ? 4 : 30);
  ASSERT_GE(prompts_.size(), 40u);
  const auto expected = answers_alone();

  for (const Setting& setting : kSettings) {
    SCOPED_TRACE(setting.name);
    ThreadPool pool(setting.threads);
    metrics::Registry registry;
    Engine engine(runner(pool, setting), setting.engine, clock_, registry);
    std::mt19937 random(7);
    Arrivals arrivals;
    std::vector<std::shared_ptr<Hearer>> hearers, others;
    for (const auto& prompt : prompts_) {
      arrivals.wait_for_at_most(static_cast<int>(random() % 40));
      hearers.push_back(std::make_shared<Hearer>(arrivals));
      ASSERT_TRUE(engine.submit(request(prompt), hearers.back()));
      if (random() % 4 != 0) continue;
      // Company of other kinds: beams, samples, answers longer than expected, callers that leave.
      Request other = request(prompts_[random() % prompts_.size()]);
      const auto kind = random() % 4;
      if (kind == 0) other.params.beams = 3;
      if (kind == 1) other.params.temperature = 1;
      if (kind == 3) other.params.ignore_eos = true, other.params.max_tokens = 200;
      others.push_back(std::make_shared<Hearer>(arrivals));
      const auto id = engine.submit(other, others.back());
      ASSERT_TRUE(id);
      if (kind == 2) engine.cancel(*id);
    }
    arrivals.wait_for_at_most(0);
    for (size_t i = 0; i < prompts_.size(); ++i) {
      EXPECT_EQ(hearers[i]->whole, expected[i]) << "sentence " << i;
      EXPECT_EQ(hearers[i]->streamed, expected[i]) << "sentence " << i;
    }
    // Each setting does what it is there for.
    EXPECT_EQ(counter(registry, "hymt_engine_preemptions_total") > 0, setting.preempts);
    EXPECT_EQ(counter(registry, "hymt_engine_prefix_hits_total") > 0,
              setting.engine.share_prefixes);
  }
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const std::string& kernels : cpu::kernel_names()) {
    for (const DType type : {DType::bf16, DType::q8_0, DType::q4_0}) all.push_back({kernels, type});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(SlowTables, SameBytes, testing::ValuesIn(cases()), [](const auto& test) {
  return test.param.kernels + "_" + std::string(name(test.param.type));
});

}  // namespace
}  // namespace hymt::engine
