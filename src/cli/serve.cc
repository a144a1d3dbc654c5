// hymt serve: the HTTP service and its page, until SIGTERM or Ctrl-C.
#include "server/server.h"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

#include "cli/commands.h"
#include "cli/embedded.h"
#include "cli/machine_memory.h"
#include "cli/read_text.h"
#include "cli/service.h"
#include "cli/signals.h"
#include "cli/sizes.h"

namespace hymt::cli {
namespace {

using std::chrono::milliseconds;

struct Options {
  ServiceOptions service;
  server::Options server;
  std::string deadline = "30s";
  std::string cache_memory = "64MiB";
  std::string cache_ttl = "1d";
  std::string redis;
  std::string redis_password_file;
};

constexpr milliseconds kDay{86'400'000};
constexpr milliseconds kLongestTtl = 365 * kDay;

// "500ms", "30s", "2m", "1h", "7d"; a bare number counts seconds. At least 1 ms.
std::optional<milliseconds> duration(std::string_view text, milliseconds longest) {
  int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  if (error != std::errc() || number < 1) return std::nullopt;
  int64_t factor = 0;
  if (unit == "ms") factor = 1;
  if (unit == "s" || unit.empty()) factor = 1000;
  if (unit == "m") factor = 60'000;
  if (unit == "h") factor = 3'600'000;
  if (unit == "d") factor = kDay.count();
  if (factor == 0 || number > longest.count() / factor) return std::nullopt;
  return milliseconds(number * factor);
}

// What requests may call the model: the name it was started by, of a file without its folders.
std::string alias_of(const std::string& model) {
  const char* variable = std::getenv("HYMT_MODEL");
  std::string name = !model.empty() ? model : variable && *variable ? variable : "demo";
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  name = std::filesystem::path(name).filename();
  return name.ends_with(".gguf") ? name.substr(0, name.size() - 5) : name;
}

std::vector<server::Asset> page() {
  std::vector<server::Asset> files;
  for (const Asset& asset : assets()) {
    const std::string_view bytes(reinterpret_cast<const char*>(asset.bytes.data()),
                                 asset.bytes.size());
    server::Asset file{std::string(asset.path), std::string(asset.content_type), bytes,
                       std::string(asset.etag)};
    if (file.path == "/index.html") {
      file.path = "/";
      files.push_back(file);
      file.path = asset.path;
    }
    files.push_back(std::move(file));
  }
  return files;
}

// Loads on a thread of its own, so that /health answers and signals are heard meanwhile.
class Loader {
 public:
  Loader(const ServiceOptions& options, const Clock& clock, metrics::Registry& metrics, Log& log,
         std::function<void(Result<std::shared_ptr<Service>>)> done)
      : thread_([&options, &clock, &metrics, &log, done = std::move(done)] {
          done(load(options, clock, metrics, log));
        }) {}
  ~Loader() { thread_.join(); }

 private:
  static Result<std::shared_ptr<Service>> load(const ServiceOptions& options, const Clock& clock,
                                               metrics::Registry& metrics, Log& log) {
    try {
      return std::shared_ptr<Service>(HYMT_TRY(make_service(options, clock, metrics, &log)));
    } catch (const std::exception& error) {  // a library's: out of memory, at worst
      return fail(Code::internal, std::string("cannot load the model: ") + error.what());
    }
  }

  std::thread thread_;
};

void say_ready(const Service& service, const server::Server& server) {
  std::printf("hymt serves %s at %s (Ctrl-C stops it)\n", service.translator->info().name.c_str(),
              server.url().c_str());
  std::fflush(stdout);
}

// The first signal ends gently, a second one at once.
void end(Signals& signals, server::Server& server, milliseconds grace, Log& log) {
  log.info("stopping: requests under way have " + std::to_string(grace.count()) +
           " ms to end; a second signal stops at once");
  std::thread drain([&] {
    server.drain(grace);
    signals.ring();
  });
  if (signals.wait() != 0) std::_Exit(1);
  drain.join();
  log.info("stopped");
}

// A secret comes from a file or the environment: others can read command lines.
Result<std::string> redis_password(const Options& options) {
  const char* variable = std::getenv("HYMT_REDIS_PASSWORD");
  if (options.redis_password_file.empty()) return variable ? variable : "";
  std::string password = HYMT_TRY(read_text(options.redis_password_file));
  while (password.ends_with('\n') || password.ends_with('\r')) password.pop_back();
  return password;
}

Result<void> set_memory(Options& options) {
  MemoryOptions& memory = options.service.memory;
  memory.bytes = *parse_size(options.cache_memory);
  memory.keep = *duration(options.cache_ttl, kLongestTtl);
  if (const int64_t available = available_memory(); memory.bytes > available) {
    return fail(Code::unavailable,
                "--cache-memory of " + std::to_string(memory.bytes) + " bytes is more than the " +
                    std::to_string(available) + " that this machine has left: ask for less",
                "cache-memory");
  }
  if (options.redis.empty()) return {};
  memory.redis.emplace();
  memory.redis->address = HYMT_TRY(translate::memory::parse_redis_url(options.redis));
  memory.redis->password = HYMT_TRY(redis_password(options));
  return {};
}

Result<void> run(Options& options) {
  Signals signals;
  Log log;
  metrics::Registry metrics;
  const SteadyClock clock;
  server::Options& serving = options.server;
  serving.deadline = *duration(options.deadline, kDay);
  HYMT_TRY(set_memory(options));
  serving.model_alias = alias_of(options.service.model);
  options.service.commit_memory = true;  // what is missing is missed now, not under load
  // Room for the longest text that is not refused for its tokens, in the longest JSON.
  constexpr size_t kBytesPerToken = 64;
  const auto tokens = static_cast<size_t>(options.service.translator.max_input_tokens);
  serving.http.max_body = std::max(serving.http.max_body, tokens * kBytesPerToken);
  serving.http.max_bodies = std::max(serving.http.max_bodies, 4 * serving.http.max_body);
  // And for the prompts that such a text makes, twice.
  constexpr int kPromptTokensPerToken = 8;
  auto& translator = options.service.translator;
  translator.max_prompt_tokens =
      std::max(translator.max_prompt_tokens, kPromptTokensPerToken * translator.max_input_tokens);
  options.service.engine.max_queue_tokens =
      std::max(options.service.engine.max_queue_tokens, 2 * translator.max_prompt_tokens);

  server::Server server(serving, page(), metrics, log);
  HYMT_TRY(server.start());
  log.info("listening on " + server.url() + ", loading the model");

  std::optional<Error> failure;  // written before the bell rings, read after
  {
    const Loader loader(options.service, clock, metrics, log, [&](auto service) {
      if (service) {
        server.set_translator({*service, (*service)->translator.get()});
        say_ready(**service, server);
      } else {
        failure = service.error();
      }
      signals.ring();
    });
    // Nothing has been accepted yet that would be lost.
    if (signals.wait() != 0) std::_Exit(0);
  }
  if (failure) return tl::unexpected(*failure);
  signals.wait();
  end(signals, server, serving.deadline, log);
  return {};
}

std::string check_size(const std::string& text) {
  const auto size = parse_size(text);
  return size && *size >= 0 ? "" : "must be a size like 512MiB, or 0";
}

std::string check_redis(const std::string& url) {
  const auto address = translate::memory::parse_redis_url(url);
  return address ? "" : address.error().message;
}

CLI::Validator time_up_to(milliseconds longest) {
  return CLI::Validator(
      [longest](const std::string& text) -> std::string {
        if (duration(text, longest)) return "";
        return "must be a time such as 500ms, 30s, 2m or 12h, at most " +
               std::to_string(longest / kDay) + "d";
      },
      "TIME");
}

}  // namespace

void add_serve(CLI::App& app, Action& action) {
  auto* command = app.add_subcommand("serve", "Serve translations over HTTP, and the page");
  const auto options = std::make_shared<Options>();
  command->add_option("--host", options->server.host, "Address to listen on; 0.0.0.0 for all")
      ->capture_default_str();
  command->add_option("--port", options->server.port, "Port to listen on; 0 for a free one")
      ->capture_default_str();
  command
      ->add_option("--allow-host", options->server.public_names,
                   "Names under which a proxy offers this service and its page")
      ->type_name("NAME");
  command
      ->add_option("--max-queue", options->service.engine.max_queue,
                   "Requests that may wait; more are answered 429")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command
      ->add_option("--max-input-tokens", options->service.translator.max_input_tokens,
                   "Tokens a request's texts may have together")
      ->capture_default_str()
      ->check(CLI::Range(1, 1'000'000));
  command
      ->add_option("--deadline", options->deadline,
                   "Time for a request that names no deadline_ms, and for the last ones at the end")
      ->capture_default_str()
      ->check(time_up_to(kDay));
  command
      ->add_option("--cache-memory", options->cache_memory,
                   "Memory for answers that are given again without computing: a size; 0: none")
      ->capture_default_str()
      ->check(CLI::Validator(check_size, "SIZE"));
  command->add_option("--cache-ttl", options->cache_ttl, "Time after which such an answer expires")
      ->capture_default_str()
      ->check(time_up_to(kLongestTtl));
  command
      ->add_option("--redis", options->redis,
                   "A Redis that shares these answers with other replicas: redis://HOST:6379/0 or "
                   "unix:///PATH; its password in $HYMT_REDIS_PASSWORD")
      ->check(CLI::Validator(check_redis, "URL"));
  command
      ->add_option("--redis-password-file", options->redis_password_file,
                   "A file with the password of Redis, instead")
      ->type_name("FILE")
      ->needs("--redis");
  add_service_options(*command, options->service);
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace hymt::cli
