// hymt eval: how good a model's translations of a file of sentence pairs are.
#include <CLI/CLI.hpp>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <optional>

#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/read_text.h"
#include "cli/service.h"
#include "translate/quality/bleu.h"
#include "translate/quality/chrf.h"

namespace hymt::cli {
namespace {

namespace quality = translate::quality;

struct Options {
  ServiceOptions service;
  translate::Request request;
  std::string pairs;
  size_t limit = 0;
  bool swap = false;
  bool json = false;
};

// What the sentences under way report to the caller.
struct Tally {
  std::mutex mutex;
  std::condition_variable news;
  size_t n_open = 0;
  size_t n_done = 0;
  int64_t output_tokens = 0;
  std::map<std::string_view, int> reasons;
  std::optional<Error> error;  // the first
};

class SentenceSink final : public translate::Sink {
 public:
  SentenceSink(std::shared_ptr<Tally> tally, std::string& hypothesis)
      : tally_(std::move(tally)), hypothesis_(hypothesis) {}

  void on_delta(size_t, std::string_view) override {}
  void on_translation(size_t, const translate::Translation&) override {}
  void on_finish(const Result<translate::Reply>& reply) override {
    const std::lock_guard<std::mutex> lock(tally_->mutex);
    if (reply) {
      const auto& translation = reply->translations.front();
      hypothesis_ = translation.text;
      tally_->output_tokens += reply->usage.output_tokens;
      ++tally_->reasons[engine::name(translation.finish_reason)];
    } else if (!tally_->error) {
      tally_->error = reply.error();
    }
    --tally_->n_open;
    ++tally_->n_done;
    tally_->news.notify_one();
    done_ = true;
  }
  bool done() const { return done_; }

 private:
  const std::shared_ptr<Tally> tally_;
  std::string& hypothesis_;
  std::atomic<bool> done_{false};
};

// All sentences, many at a time; the answers stand in the order of the sentences.
Result<std::vector<std::string>> translate_all(translate::Facade& facade,
                                               translate::Request request,
                                               const std::vector<std::string>& sources,
                                               const std::shared_ptr<Tally>& tally) {
  constexpr size_t kUnderWay = 128;  // twice what the engine decodes at once
  std::vector<std::string> hypotheses(sources.size());
  struct UnderWay {
    std::shared_ptr<SentenceSink> sink;
    std::unique_ptr<translate::Ticket> ticket;
  };
  std::vector<UnderWay> under_way;
  Progress progress("translating", sources.size());
  const auto wait = [&](size_t most_open) {
    std::unique_lock<std::mutex> lock(tally->mutex);
    while (tally->n_open > most_open && !tally->error) {
      tally->news.wait(lock);
      const size_t done = tally->n_done;
      lock.unlock();
      progress.set(done);
      lock.lock();
    }
    return tally->error;
  };
  const auto give_up = [&](Error error) {
    under_way.clear();  // cancels; the sinks write into `hypotheses`, so wait for them
    std::unique_lock<std::mutex> lock(tally->mutex);
    tally->news.wait(lock, [&] { return tally->n_open == 0; });
    return tl::unexpected<Error>(std::move(error));
  };
  for (size_t i = 0; i < sources.size(); ++i) {
    if (auto error = wait(kUnderWay - 1)) return give_up(*std::move(error));
    {
      const std::lock_guard<std::mutex> lock(tally->mutex);
      ++tally->n_open;
    }
    request.texts = {sources[i]};
    if (under_way.size() >= 2 * kUnderWay) {
      std::erase_if(under_way, [](const UnderWay& one) { return one.sink->done(); });
    }
    auto sink = std::make_shared<SentenceSink>(tally, hypotheses[i]);
    auto ticket = facade.translate(request, sink);
    if (!ticket) {
      {
        const std::lock_guard<std::mutex> lock(tally->mutex);
        --tally->n_open;
      }
      return give_up(std::move(ticket.error()));
    }
    under_way.push_back({std::move(sink), *std::move(ticket)});
  }
  if (auto error = wait(0)) return give_up(*std::move(error));
  return hypotheses;
}

Result<void> run(Options& options) {
  auto pairs = HYMT_TRY(read_pairs(options.pairs));
  if (options.limit > 0 && pairs.size() > options.limit) pairs.resize(options.limit);
  if (pairs.empty()) return fail(Code::invalid_argument, options.pairs + " has no sentence pairs");
  std::vector<std::string> sources, references;
  for (auto& [first, second] : pairs) {
    sources.push_back(options.swap ? second : first);
    references.push_back(options.swap ? first : second);
  }

  const SteadyClock clock;
  metrics::Registry metrics;
  const auto service = HYMT_TRY(make_service(options.service, clock, metrics));

  const auto tally = std::make_shared<Tally>();
  const Time begun = clock.now();
  const auto hypotheses =
      HYMT_TRY(translate_all(*service->translator, options.request, sources, tally));
  const double seconds = std::chrono::duration<double>(clock.now() - begun).count();

  const auto* target = translate::find_language(options.request.target);
  const auto tokenizer = quality::tokenizer_for(target->code);
  const auto bleu = quality::bleu(hypotheses, references, tokenizer);
  const double chrf2 = quality::chrf(hypotheses, references, 0);
  const double chrf2pp = quality::chrf(hypotheses, references, 2);
  const double tokens_per_second = static_cast<double>(tally->output_tokens) / seconds;
  const double sentences_per_second = static_cast<double>(sources.size()) / seconds;
  const std::string tokenize(quality::name(tokenizer));
  if (options.json) {
    const nlohmann::json json = {{"model", service->translator->info().name},
                                 {"source", options.request.source},
                                 {"target", options.request.target},
                                 {"sentences", sources.size()},
                                 {"bleu", bleu.score},
                                 {"tokenize", tokenize},
                                 {"brevity_penalty", bleu.brevity_penalty},
                                 {"chrf2", chrf2},
                                 {"chrf2++", chrf2pp},
                                 {"finish_reasons", tally->reasons},
                                 {"seconds", seconds},
                                 {"output_tokens", tally->output_tokens},
                                 {"tokens_per_second", tokens_per_second},
                                 {"sentences_per_second", sentences_per_second}};
    std::printf("%s\n", json.dump().c_str());
  } else {
    std::printf("%s -> %s, %zu sentences\n", options.request.source.c_str(),
                options.request.target.c_str(), sources.size());
    std::printf("BLEU %.2f (%s)  chrF2 %.2f  chrF2++ %.2f\n", bleu.score, tokenize.c_str(), chrf2,
                chrf2pp);
    std::printf("%.1f s, %.1f tokens/s, %.1f sentences/s\n", seconds, tokens_per_second,
                sentences_per_second);
    for (const auto& [reason, n] : tally->reasons) {
      if (reason != "stop") std::printf("%d ended by %s\n", n, std::string(reason).c_str());
    }
  }
  return {};
}

}  // namespace

void add_eval(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("eval", "Translate sentence pairs and score the result");
  const auto options = std::make_shared<Options>();
  const auto language = CLI::Validator(
      [](const std::string& code) {
        const auto found = translate::require_language(code, "this option");
        return found ? std::string() : found.error().message;
      },
      "LANGUAGE");
  command->add_option("pairs", options->pairs, "Lines of source<TAB>reference")
      ->required()
      ->type_name("PAIRS.tsv");
  command->add_option("--from", options->request.source, "Source language")
      ->required()
      ->check(language);
  command->add_option("--to", options->request.target, "Target language")
      ->required()
      ->check(language);
  command->add_flag("--swap", options->swap, "The file has reference<TAB>source");
  command->add_option("--limit", options->limit, "Only the first so many pairs");
  command->add_option("--beams", options->request.params.beams, "Beam search with so many beams")
      ->capture_default_str()
      ->check(CLI::Range(1, 8));
  command->add_flag("--json", options->json, "One JSON object");
  add_service_options(*command, options->service);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace hymt::cli
