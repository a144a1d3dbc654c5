#include "translate/translator.h"

#include <algorithm>

#include "engine/core.h"
#include "translate/check_request.h"
#include "translate/detect.h"
#include "translate/job.h"
#include "translate/paragraphs.h"
#include "translate/prompt.h"

namespace hymt::translate {
namespace {

class JobTicket final : public Ticket {
 public:
  explicit JobTicket(std::shared_ptr<Job> job) : job_(std::move(job)) {}
  ~JobTicket() override { job_->cancel(); }

 private:
  const std::shared_ptr<Job> job_;
};

std::vector<const Language*> languages_of(const model::ModelCard& card) {
  std::vector<const Language*> known;
  for (const auto& language : languages()) {
    const auto same = [&](const std::string& code) { return find_language(code) == &language; };
    const auto& named = card.languages;
    if (named.empty() || std::any_of(named.begin(), named.end(), same)) known.push_back(&language);
  }
  return known;
}

// The longest token's bytes: a text of n bytes has at least n / this many tokens.
size_t longest_token(const tokenizer::Vocabulary& vocabulary) {
  size_t longest = 1;
  for (const auto& token : vocabulary.tokens) longest = std::max(longest, token.size());
  return longest;
}

}  // namespace

class Translator::Impl {
 public:
  Impl(const model::ModelCard& card, const tokenizer::Tokenizer& tokenizer, memory::Memory& memory,
       const Options& options)
      : card_(card),
        tokenizer_(tokenizer),
        memory_(memory),
        engine_(memory.engine()),
        options_(options),
        longest_token_(longest_token(tokenizer.vocabulary())),
        info_{card.name, std::string(name(card.generation)), languages_of(card),
              options.max_input_tokens, card.recommended} {}

  Result<std::unique_ptr<Ticket>> translate(const Request& request, std::shared_ptr<Sink> sink) {
    JobPlan plan = HYMT_TRY(make_plan(request));
    auto job = std::make_shared<Job>(std::move(plan), tokenizer_, memory_, std::move(sink));
    HYMT_TRY(job->start(memory_));
    return std::make_unique<JobTicket>(std::move(job));
  }

  Detection detect(std::string_view text) const { return detector_.detect(text); }
  const ModelInfo& info() const { return info_; }
  engine::Engine& engine() const { return engine_; }
  memory::Memory& memory() const { return memory_; }

 private:
  // What the paragraphs of one request have in common, and what they have used up so far.
  struct Budget {
    int text_tokens = 0;    // without the prompts' own words
    int prompt_tokens = 0;  // with them
    int variants = 1;       // requests a paragraph makes
    int beams = 1;
  };

  Result<JobPlan> make_plan(const Request& request) const {
    HYMT_TRY(check_request(request, options_.max_texts, n_vocab()));
    Wishes wishes;
    wishes.target = HYMT_TRY(language(request.target, "target"));
    if (!asks_for_detection(request)) wishes.source = HYMT_TRY(language(request.source, "source"));
    const auto terms = fold_terms(request.glossary);
    wishes.glossary = terms;
    wishes.context = request.context;
    wishes.style = request.style;
    HYMT_TRY(check_bytes(request));

    JobPlan plan;
    plan.model = card_.name;
    plan.stops = request.stop;
    plan.alternatives = request.alternatives;
    plan.recall = request.recall;
    plan.remember = request.remember;
    engine::Params params = request.params;
    if (params.temperature > 0) {
      plan.variants = 1 + request.alternatives;
    } else {
      params.beams = std::max(params.beams, 1 + request.alternatives);
      plan.beams = params.beams > 1;
    }
    Budget budget{.variants = plan.variants, .beams = params.beams};
    for (const auto& text : request.texts) {
      Draft draft = make_draft(text, request, wishes);
      Wishes own = wishes;  // with the source of this text
      if (!own.source) own.source = find_language(draft.answer.source);
      for (const Range& paragraph : draft.paragraphs) {
        const int before = budget.text_tokens;
        auto prompt = HYMT_TRY(make_prompt(paragraph.of(text), own, budget));
        params.max_tokens = request.params.max_tokens;
        if (!params.ignore_eos && params.min_tokens == 0) {
          params.max_tokens =
              std::min(params.max_tokens, longest_answer(budget.text_tokens - before));
        }
        for (int variant = 0; variant < plan.variants; ++variant) {
          // Far apart, and no multiple of the step of the engine's generator.
          constexpr uint64_t kSeedStep = 0xD1B54A32D192ED03u;
          params.seed = request.params.seed + static_cast<uint64_t>(variant) * kSeedStep;
          plan.requests.push_back(
              {prompt, card_.stop_ids, params, request.client, request.priority, request.deadline});
        }
      }
      plan.drafts.push_back(std::move(draft));
    }
    return plan;
  }

  static bool asks_for_detection(const Request& request) { return request.source == "auto"; }

  Result<const Language*> language(std::string_view code, const std::string& field) const {
    const Language* language = HYMT_TRY(require_language(code, field));
    const auto& known = info_.languages;
    if (std::find(known.begin(), known.end(), language) != known.end()) return language;
    std::string codes;
    for (const Language* other : known) {
      if (!codes.empty()) codes += ", ";
      codes += other->code;
    }
    return fail(Code::unsupported,
                "the model " + card_.name + " does not know " + std::string(language->english) +
                    "; its languages are " + codes,
                field);
  }

  Draft make_draft(const std::string& text, const Request& request, const Wishes& wishes) const {
    Draft draft{text, paragraphs(text), {}};
    Translation& answer = draft.answer;
    if (asks_for_detection(request)) {
      answer.detected = true;
      answer.source = detector_.detect(text).language;
    } else {
      answer.source = wishes.source->code;
    }
    if (draft.paragraphs.empty()) return draft;
    answer.warnings = prompt_warnings(card_.generation, wishes);
    if (answer.source.empty()) {
      answer.warnings.push_back(
          "the language of the text was not recognised: name it as source if this is wrong");
    } else if (const Language* source = find_language(answer.source);
               std::find(info_.languages.begin(), info_.languages.end(), source) ==
               info_.languages.end()) {
      answer.warnings.push_back("the text seems to be " + std::string(source->english) +
                                ", which the model " + card_.name + " does not know");
    }
    return draft;
  }

  // Refuses what is too long whatever its tokens are, before work is spent on it.
  Result<void> check_bytes(const Request& request) const {
    size_t bytes = 0;
    for (const auto& text : request.texts) {
      for (const Range& paragraph : paragraphs(text)) bytes += paragraph.end - paragraph.begin;
    }
    const auto most = static_cast<size_t>(options_.max_input_tokens) * longest_token_;
    if (request.context.size() > most) {
      return fail(Code::too_large,
                  "the context has more than " + std::to_string(options_.max_input_tokens) +
                      " tokens: shorten it",
                  "context");
    }
    return bytes > most ? too_long() : Result<void>();
  }

  Result<void> too_long() const {
    return fail(Code::too_large,
                "the texts have more than " + std::to_string(options_.max_input_tokens) +
                    " tokens together: send them in several requests",
                "text");
  }

  Result<std::vector<Token>> make_prompt(std::string_view text, const Wishes& wishes,
                                         Budget& budget) const {
    // The prompt's own words are the server's affair, so they are not charged.
    budget.text_tokens += static_cast<int>(tokenizer_.encode(text).size());
    if (budget.text_tokens > options_.max_input_tokens) {
      return tl::unexpected<Error>(too_long().error());
    }
    auto tokens =
        prompt_tokens(card_.chat, tokenizer_, translation_prompt(card_.generation, wishes, text));
    const auto n = static_cast<int>(tokens.size());
    budget.prompt_tokens += n * budget.variants;
    if (budget.prompt_tokens > options_.max_prompt_tokens) {
      return fail(Code::too_large,
                  "context, glossary and texts have more than " +
                      std::to_string(options_.max_prompt_tokens) +
                      " tokens together, as each paragraph carries the context: shorten it, or "
                      "send fewer paragraphs",
                  "context");
    }
    const int most = engine::max_fitting_tokens(engine_.runner(), budget.beams);
    if (n >= most) {
      return fail(Code::too_large,
                  "a paragraph makes a prompt of " + std::to_string(n) +
                      " tokens; prompt and answer together can have " + std::to_string(most) +
                      ": break it into lines",
                  "text");
    }
    return tokens;
  }

  int n_vocab() const { return engine_.runner().config().n_vocab; }

  const model::ModelCard card_;
  const tokenizer::Tokenizer& tokenizer_;
  memory::Memory& memory_;
  engine::Engine& engine_;
  const Options options_;
  const size_t longest_token_;
  const Detector detector_;
  const ModelInfo info_;
};

Translator::Translator(const model::ModelCard& card, const tokenizer::Tokenizer& tokenizer,
                       memory::Memory& memory, const Options& options)
    : impl_(new Impl(card, tokenizer, memory, options)) {}
Translator::~Translator() = default;

Result<std::unique_ptr<Ticket>> Translator::translate(const Request& request,
                                                      std::shared_ptr<Sink> sink) {
  return impl_->translate(request, std::move(sink));
}
Detection Translator::detect(std::string_view text) const {
  return impl_->detect(text);
}
const ModelInfo& Translator::info() const {
  return impl_->info();
}
engine::Status Translator::status() const {
  return impl_->engine().status();
}
void Translator::drain() {
  impl_->memory().drain();
}

}  // namespace hymt::translate
