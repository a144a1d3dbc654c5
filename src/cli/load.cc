// hymt load: how a running service does under load.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iostream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include "cli/commands.h"
#include "cli/http_load.h"
#include "cli/read_text.h"

namespace hymt::cli {
namespace {

using nlohmann::json;

struct Options {
  LoadPlan plan;
  std::vector<std::string> texts;
  std::string source = "auto";
  std::vector<std::string> targets = {"en"};
  std::string request = "{}";  // further fields
  bool stream = false;
  bool verify = false;
  bool as_json = false;
};

struct Totals {
  std::vector<double> latencies, first_bytes;   // seconds, of answered requests
  std::map<std::string, int64_t> outcomes;      // "200", "429", "connection: …"
  std::map<std::string, int64_t> reasons;       // finish_reason
  int64_t input_tokens = 0, output_tokens = 0;  // 0 of streams, which do not tell
  int64_t n_differing = 0;  // answers that differ from the first to the same request
  double last_end = 0;
};

// The texts of a reply, and what is counted of it. False if it is not what the service answers.
bool read_reply(const LoadSample& sample, bool stream, Totals& totals, std::string& text) {
  const auto count = [&](const json& translation) {
    text = translation.value("text", "");
    ++totals.reasons[translation.value("finish_reason", "?")];
  };
  if (!stream) {
    const json reply = json::parse(sample.reply, nullptr, false);
    if (!reply.is_object() || !reply.contains("translations")) return false;
    for (const json& translation : reply["translations"]) count(translation);
    if (reply.contains("usage")) {
      totals.input_tokens += reply["usage"].value("input_tokens", 0);
      totals.output_tokens += reply["usage"].value("output_tokens", 0);
    }
    return true;
  }
  bool ended = false;
  for (size_t at = 0; (at = sample.reply.find("data: ", at)) != std::string::npos;) {
    at += 6;
    const size_t end = std::min(sample.reply.find('\n', at), sample.reply.size());
    const json event = json::parse(sample.reply.substr(at, end - at), nullptr, false);
    if (event.is_object() && event.value("done", false)) count(event), ended = true;
    if (event.is_object() && event.contains("error")) return false;
    at = end;
  }
  return ended;
}

// The smallest sample that at least p percent do not exceed (nearest rank). All samples count.
double percentile(const std::vector<double>& sorted, double p) {
  if (sorted.empty()) return 0;
  const double rank = std::ceil(p * static_cast<double>(sorted.size()) / 100);
  return sorted[static_cast<size_t>(std::max(rank, 1.0)) - 1];
}

json summary_of(std::vector<double>& seconds) {
  std::sort(seconds.begin(), seconds.end());
  return {{"p50", percentile(seconds, 50)},
          {"p95", percentile(seconds, 95)},
          {"p99", percentile(seconds, 99)},
          {"max", seconds.empty() ? 0 : seconds.back()}};
}

void print(const json& report) {
  const auto number = [&](const char* key) { return report[key].get<double>(); };
  std::printf("%lld requests in %.1f s: %.1f requests/s",
              static_cast<long long>(report["requests"].get<int64_t>()), number("seconds"),
              number("requests_per_s"));
  if (number("tokens_per_s") > 0) std::printf(", %.0f tokens/s", number("tokens_per_s"));
  std::printf("\n");
  for (const char* what : {"latency_s", "first_byte_s"}) {
    const json& of = report[what];
    std::printf("%-13s p50 %.3f  p95 %.3f  p99 %.3f  max %.3f\n", what, of["p50"].get<double>(),
                of["p95"].get<double>(), of["p99"].get<double>(), of["max"].get<double>());
  }
  for (const char* what : {"outcomes", "finish_reasons"}) {
    std::printf("%-13s", what);
    for (const auto& [key, count] : report[what].items()) {
      std::printf(" %s: %lld", key.c_str(), static_cast<long long>(count.get<int64_t>()));
    }
    std::printf("\n");
  }
  std::printf("answers that differ from the first to the same request: %lld\n",
              static_cast<long long>(report["differing_answers"].get<int64_t>()));
}

Result<std::vector<std::string>> bodies_of(const Options& options) {
  json request = json::parse(options.request, nullptr, false);
  if (!request.is_object()) {
    return fail(Code::invalid_argument, "--request must be a JSON object");
  }
  request["source"] = options.source;
  request["stream"] = options.stream;
  std::vector<std::string> bodies;
  for (const std::string& file : options.texts) {
    const std::string all = HYMT_TRY(read_text(file));
    for (size_t at = 0; at < all.size();) {
      const size_t end = std::min(all.find('\n', at), all.size());
      std::string line = all.substr(at, end - at);
      at = end + 1;
      line.resize(std::min(line.find('\t'), line.size()));  // of sentence pairs, the first
      if (line.empty()) continue;
      request["text"] = line;
      request["target"] = options.targets[bodies.size() % options.targets.size()];
      bodies.push_back(request.dump());
    }
  }
  if (bodies.empty()) return fail(Code::invalid_argument, options.texts.front() + " holds no text");
  // Lengths and languages come mixed, and in the same order each time.
  if (options.texts.size() > 1) {
    std::shuffle(bodies.begin(), bodies.end(), std::mt19937_64(options.plan.seed));
  }
  return bodies;
}

// What the service answers to each request with nothing else to do.
Result<std::map<size_t, std::string>> answers_alone(const Options& options) {
  LoadPlan plan = options.plan;
  plan.concurrency = 1;
  plan.rate = 0;
  plan.seconds = std::numeric_limits<double>::infinity();
  plan.max_requests = static_cast<int64_t>(plan.bodies.size());
  std::map<size_t, std::string> answers;
  Totals unused;
  HYMT_TRY(run_load(plan, [&](LoadSample&& sample) {
    std::string text;
    if (sample.status == 200 && read_reply(sample, options.stream, unused, text)) {
      answers[sample.body] = text;
    }
  }));
  if (answers.size() < plan.bodies.size()) {
    return fail(Code::unavailable, "the service did not answer each text alone, as --verify asks");
  }
  return answers;
}

Result<void> load(Options options) {
  options.plan.bodies = HYMT_TRY(bodies_of(options));
  while (options.plan.url.ends_with('/')) options.plan.url.pop_back();
  options.plan.url += "/v1/translate";

  Totals totals;
  std::map<size_t, std::string> answers;  // by body
  options.plan.computed_now = options.plan.computed_now || options.verify;
  if (options.verify) answers = HYMT_TRY(answers_alone(options));
  HYMT_TRY(run_load(options.plan, [&](LoadSample&& sample) {
    totals.last_end = std::max(totals.last_end, sample.ended);
    if (sample.status != 200) {
      ++totals.outcomes[sample.status == 0 ? "connection: " + sample.failure
                                           : std::to_string(sample.status)];
      return;
    }
    std::string text;
    if (!read_reply(sample, options.stream, totals, text)) {
      ++totals.outcomes["200 without an answer"];
      return;
    }
    ++totals.outcomes["200"];
    totals.latencies.push_back(sample.ended - sample.started);
    totals.first_bytes.push_back(sample.first_byte - sample.started);
    const auto [first, is_new] = answers.try_emplace(sample.body, text);
    if (!is_new && first->second != text) ++totals.n_differing;
  }));

  const auto n = static_cast<int64_t>(totals.latencies.size());
  if (n == 0) {
    const std::string outcome =
        totals.outcomes.empty() ? "none was sent" : totals.outcomes.begin()->first;
    return fail(Code::unavailable, "no request was answered (" + outcome + ")");
  }
  const double seconds = std::max(totals.last_end, 1e-9);
  json report = {{"requests", n},
                 {"seconds", seconds},
                 {"requests_per_s", static_cast<double>(n) / seconds},
                 {"input_tokens", totals.input_tokens},
                 {"output_tokens", totals.output_tokens},
                 {"tokens_per_s", static_cast<double>(totals.output_tokens) / seconds},
                 {"latency_s", summary_of(totals.latencies)},
                 {"first_byte_s", summary_of(totals.first_bytes)},
                 {"outcomes", totals.outcomes},
                 {"finish_reasons", totals.reasons},
                 {"differing_answers", totals.n_differing}};
  if (options.as_json) {
    std::cout << report.dump() << "\n";
  } else {
    print(report);
  }
  return {};
}

}  // namespace

void add_load(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App& command = *app.add_subcommand("load", "Put load on a running service and time it");
  command.add_option("URL", options->plan.url, "The service: http://127.0.0.1:7860")->required();
  command
      .add_option("--texts", options->texts,
                  "Files of one text a line; of tab-separated pairs, the first")
      ->required();
  command.add_option("--from", options->source)->capture_default_str();
  command.add_option("--to", options->targets, "Target languages, which the texts take in turn")
      ->delimiter(',')
      ->capture_default_str();
  auto* concurrency =
      command
          .add_option("--concurrency", options->plan.concurrency, "Callers at once (closed loop)")
          ->check(CLI::Range(1, 10000))
          ->capture_default_str();
  command.add_option("--rate", options->plan.rate, "Random arrivals a second instead (open loop)")
      ->check(CLI::PositiveNumber)
      ->excludes(concurrency);
  command.add_option("--duration", options->plan.seconds, "Seconds")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command.add_option("--requests", options->plan.max_requests,
                     "End after so many (0: by time only)");
  command.add_option("--request", options->request, "Further fields of the request, as JSON");
  command.add_flag("--stream", options->stream,
                   "Ask for streams; the first byte is then a token's");
  command.add_flag("--verify", options->verify,
                   "First ask for each text alone, and compare the answers under load with those; "
                   "implies --no-cache");
  command.add_flag("--no-cache", options->plan.computed_now,
                   "Ask for answers computed now, not remembered ones (Cache-Control: no-cache)");
  command.add_flag("--json", options->as_json);
  command.callback([options, &action] { action = [options] { return load(*options); }; });
}

}  // namespace hymt::cli
