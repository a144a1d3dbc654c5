// hymt generate: raw completion without a template, for comparing engines.
#include <CLI/CLI.hpp>
#include <condition_variable>
#include <cstdio>
#include <iostream>
#include <mutex>
#include <nlohmann/json.hpp>

#include "cli/commands.h"
#include "cli/service.h"

namespace hymt::cli {
namespace {

using nlohmann::json;

struct GenerateOptions {
  ServiceOptions service;
  std::string prompt;
  std::vector<engine::Token> prompt_ids;
  engine::Params params;
  bool greedy = false;
  bool as_json = false;
};

// Collects an answer; prints its text as it comes unless told otherwise.
class Answer final : public engine::Listener {
 public:
  Answer(const tokenizer::Tokenizer& tokenizer, bool print)
      : detokenizer_(tokenizer), print_(print) {}

  void on_token(engine::Token token, const engine::TokenLogprobs* logprobs) override {
    if (logprobs) logprobs_.push_back(*logprobs);
    show(detokenizer_.push(token));
  }
  void on_finish(const engine::Finish& finish) override {
    show(detokenizer_.finish());
    end(finish);
  }
  void on_error(const Error& error) override { end(tl::unexpected(error)); }

  Result<engine::Finish> wait() {
    std::unique_lock<std::mutex> lock(mutex_);
    ended_.wait(lock, [&] { return finish_.has_value(); });
    return *finish_;
  }
  // After wait().
  const std::string& text() const { return text_; }
  const std::vector<engine::TokenLogprobs>& logprobs() const { return logprobs_; }

 private:
  void show(const std::string& piece) {
    text_ += piece;
    if (print_) std::cout << piece << std::flush;
  }
  void end(Result<engine::Finish> finish) {
    const std::lock_guard<std::mutex> lock(mutex_);
    finish_ = std::move(finish);
    ended_.notify_all();
  }

  tokenizer::Detokenizer detokenizer_;
  const bool print_;
  std::string text_;
  std::vector<engine::TokenLogprobs> logprobs_;
  std::mutex mutex_;
  std::condition_variable ended_;
  std::optional<Result<engine::Finish>> finish_;
};

void print_json(const Answer& answer, const engine::Finish& finish,
                const tokenizer::Tokenizer& tokenizer) {
  const engine::Candidate& candidate = finish.candidates.front();
  json out = {{"text", answer.text()},
              {"tokens", candidate.tokens},
              {"finish_reason", engine::name(candidate.reason)},
              {"prompt_tokens", finish.prompt_tokens}};
  for (const auto& one : answer.logprobs()) {
    json best = json::array();
    for (const auto& [token, logprob] : one.best) {
      best.push_back({{"token", token}, {"logprob", logprob}});
    }
    out["logprobs"].push_back({{"token", one.token},
                               {"piece", tokenizer.bytes(one.token)},
                               {"logprob", one.logprob},
                               {"best", std::move(best)}});
  }
  // Pieces may be halves of characters: shown as U+FFFD.
  std::cout << out.dump(-1, ' ', false, json::error_handler_t::replace) << "\n";
}

void print_logprobs(const Answer& answer, const tokenizer::Tokenizer& tokenizer) {
  for (const auto& one : answer.logprobs()) {
    std::printf("%7d %9.4f ", one.token, one.logprob);
    for (const auto& [token, logprob] : one.best) {
      const std::string piece =
          json(tokenizer.bytes(token)).dump(-1, ' ', false, json::error_handler_t::replace);
      std::printf(" %s %.4f", piece.c_str(), logprob);
    }
    std::printf("\n");
  }
}

Result<void> generate(const GenerateOptions& options) {
  const SteadyClock clock;
  metrics::Registry metrics;
  const auto service = HYMT_TRY(make_service(options.service, clock, metrics));
  engine::Request request;
  request.params = options.params;
  if (options.greedy) request.params.temperature = 0;
  request.stop_ids = service->model.card.stop_ids;
  request.prompt = options.prompt_ids;
  if (request.prompt.empty()) request.prompt = service->tokenizer->encode(options.prompt);

  auto answer = std::make_shared<Answer>(*service->tokenizer, !options.as_json);
  HYMT_TRY(service->engine->submit(std::move(request), answer));
  const engine::Finish finish = HYMT_TRY(answer->wait());
  if (options.as_json) {
    print_json(*answer, finish, *service->tokenizer);
  } else {
    std::cout << "\n";
    print_logprobs(*answer, *service->tokenizer);
  }
  return {};
}

}  // namespace

void add_generate(CLI::App& app, Action& action) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App& command = *app.add_subcommand(
      "generate", "Continue a prompt as it is, without a template (for comparing engines)");
  add_service_options(command, options->service);
  auto* prompt = command.add_option_group("prompt")->require_option(1);
  prompt->add_option("--prompt", options->prompt, "Text; special tokens in it are plain text");
  prompt->add_option("--prompt-ids", options->prompt_ids, "Token ids: 1,2,3")->delimiter(',');
  engine::Params& params = options->params;
  params.temperature = 0.7f;
  command.add_option("-n,--max-tokens", params.max_tokens, "Tokens to generate at most")
      ->capture_default_str();
  auto* greedy = command.add_flag("--greedy", options->greedy, "The best token at each step");
  command.add_option("--temperature", params.temperature)->capture_default_str()->excludes(greedy);
  command.add_option("--top-k", params.top_k, "0: off")->capture_default_str();
  command.add_option("--top-p", params.top_p)->capture_default_str();
  command.add_option("--repetition-penalty", params.repetition_penalty)->capture_default_str();
  command.add_option("--seed", params.seed)->capture_default_str();
  command.add_flag("--ignore-eos", params.ignore_eos, "Do not stop before -n tokens");
  command.add_option("--logprobs", params.logprobs,
                     "Show the K best tokens of each step with their log-probabilities");
  command.add_flag("--json", options->as_json);
  command.callback([options, &action] { action = [options] { return generate(*options); }; });
}

}  // namespace hymt::cli
