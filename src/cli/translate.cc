// hymt translate: text from the command line, a file or standard input.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "base/atomic_file.h"
#include "cli/commands.h"
#include "cli/passages.h"
#include "cli/progress.h"
#include "cli/read_text.h"
#include "cli/service.h"

namespace hymt::cli {
namespace {

struct Options {
  ServiceOptions service;
  translate::Request request;
  std::vector<std::string> texts;
  std::string file;
  std::string out;
  std::string glossary;
  bool json = false;
};

std::string check_language(const std::string& code) {
  const auto found = translate::require_language(code, "this option");
  return found ? "" : found.error().message;
}

bool is_same_file(const std::string& a, const std::string& b) {
  std::error_code none;
  return a == b || std::filesystem::equivalent(a, b, none);
}

Result<void> say(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) == text.size()) return {};
  return fail(Code::internal, "cannot write to standard output");
}

nlohmann::json to_json(const translate::Reply& reply) {
  auto translations = nlohmann::json::array();
  for (const auto& translation : reply.translations) {
    translations.push_back({{"text", translation.text},
                            {"source", translation.source},
                            {"detected", translation.detected},
                            {"finish_reason", engine::name(translation.finish_reason)},
                            {"cached", translation.cached},
                            {"warnings", translation.warnings},
                            {"alternatives", translation.alternatives}});
  }
  return {
      {"translations", translations},
      {"model", reply.model},
      {"usage",
       {{"input_tokens", reply.usage.input_tokens}, {"output_tokens", reply.usage.output_tokens}}}};
}

// Told on standard error, where it does not mix with the translation.
void warn(const translate::Translation& translation) {
  for (const auto& warning : translation.warnings) {
    std::fprintf(stderr, "hymt: warning: %s\n", warning.c_str());
  }
  const char* cut = nullptr;
  if (translation.finish_reason == engine::FinishReason::length) {
    cut =
        "a line of the translation was cut where --max-tokens, its line's length or the "
        "model's context set its limit";
  } else if (translation.finish_reason == engine::FinishReason::loop) {
    cut = "a line of the translation began to repeat itself and was cut";
  }
  if (cut) std::fprintf(stderr, "hymt: warning: %s\n", cut);
}

Result<void> write_file(const std::string& path, std::string_view text) {
  auto file = HYMT_TRY(AtomicFile::create(path));
  HYMT_TRY(file->write(std::as_bytes(std::span(text))));
  return file->commit();
}

// What is to be translated: each argument on its own, or one document.
Result<std::vector<std::string>> inputs(const Options& options) {
  for (const auto& text : options.texts) HYMT_TRY(check_utf8(text, "the text"));
  if (!options.texts.empty()) return options.texts;
  if (options.file.empty() && ::isatty(STDIN_FILENO) != 0) {
    std::fputs("hymt: type the text; Ctrl-D on a line of its own ends it\n", stderr);
  }
  return std::vector{HYMT_TRY(read_text(options.file.empty() ? "-" : options.file))};
}

Result<void> run(Options& options) {
  if (!options.out.empty() && is_same_file(options.file, options.out)) {
    return fail(Code::invalid_argument,
                "--out is the file that is read: give the translation another name");
  }
  const auto texts = HYMT_TRY(inputs(options));
  if (!options.glossary.empty()) options.request.glossary = HYMT_TRY(read_pairs(options.glossary));

  // One caller, who waits in no queue; passages keep what is under way small. The longest line
  // decides how much memory the attention cache needs.
  options.service.translator.max_input_tokens = 16384;
  options.service.engine.max_queue = std::numeric_limits<int>::max() / 2;
  options.service.engine.max_queue_tokens = std::numeric_limits<int>::max() / 2;
  const SteadyClock clock;
  metrics::Registry metrics;
  const auto service = HYMT_TRY(make_service(options.service, clock, metrics));

  const bool to_terminal = ::isatty(STDOUT_FILENO) != 0;
  const bool stream = !options.json && options.out.empty();
  Progress progress("translating", 1000, !options.file.empty() && !(stream && to_terminal));
  Result<void> written;
  Events events;
  if (stream) {
    events.on_text = [&](std::string_view text) {
      if (written) written = say(text);
      if (to_terminal) std::fflush(stdout);
    };
  }
  events.on_progress = [&](size_t done, size_t total) {
    if (total > 0) progress.set(1000 * done / total);
  };

  translate::Reply all;
  for (const auto& text : texts) {
    auto reply = HYMT_TRY(translate_long(*service->translator, options.request, text, events));
    HYMT_TRY(written);
    const bool open = !options.texts.empty() || (to_terminal && !text.ends_with('\n'));
    if (stream && open) HYMT_TRY(say("\n"));
    all.translations.push_back(std::move(reply.translations.front()));
    all.usage.input_tokens += reply.usage.input_tokens;
    all.usage.output_tokens += reply.usage.output_tokens;
    all.model = reply.model;
  }
  if (!options.out.empty()) HYMT_TRY(write_file(options.out, all.translations.front().text));
  if (options.json) HYMT_TRY(say(to_json(all).dump() + "\n"));
  if (std::fflush(stdout) != 0) return fail(Code::internal, "cannot write to standard output");
  for (const auto& translation : all.translations) warn(translation);
  return {};
}

}  // namespace

void add_translate(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("translate", "Translate text, a text file or standard input");
  const auto options = std::make_shared<Options>();
  auto& params = options->request.params;
  command->add_option("text", options->texts, "Texts, translated one by one; else standard input")
      ->type_name("TEXT");
  command->add_option("--to", options->request.target, "Target language: zh, en, fr ...")
      ->required()
      ->check(CLI::Validator(check_language, "LANGUAGE"));
  command->add_option("--from", options->request.source, "Source language, or auto")
      ->capture_default_str()
      ->check(CLI::Validator(
          [](const std::string& code) { return code == "auto" ? "" : check_language(code); },
          "LANGUAGE"));
  auto* file = command->add_option("--file", options->file, "Text file to translate")
                   ->type_name("FILE")
                   ->excludes("text");
  command->add_option("--out", options->out, "Where its translation goes; else standard output")
      ->type_name("FILE")
      ->needs(file);
  command->add_option("--beams", params.beams, "Beam search with so many beams")
      ->capture_default_str()
      ->check(CLI::Range(1, 8));
  command->add_option("--max-tokens", params.max_tokens, "Most tokens of a translated line")
      ->check(CLI::PositiveNumber);
  command->add_option("--glossary", options->glossary, "Lines of term<TAB>translation")
      ->type_name("FILE");
  command->add_option("--context", options->request.context, "What the text is about");
  command->add_option("--style", options->request.style, "How it is to be translated");
  command->add_flag("--json", options->json, "The reply of the service's /v1/translate");
  add_service_options(*command, options->service);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace hymt::cli
