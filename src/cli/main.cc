// The composition root: parses the command line and runs one command.
#include <CLI/CLI.hpp>
#include <cstdio>
#include <iostream>

#include "cli/commands.h"

namespace {

// In the order of --help.
constexpr hymt::cli::AddCommand kCommands[] = {
    hymt::cli::add_serve,    hymt::cli::add_translate, hymt::cli::add_generate,
    hymt::cli::add_tokenize, hymt::cli::add_inspect,   hymt::cli::add_quantize,
    hymt::cli::add_eval,     hymt::cli::add_bench,     hymt::cli::add_load,
};

int run(int argc, char** argv) {
  CLI::App app("hymt: translate with Tencent's Hunyuan-MT models", "hymt");
  app.set_version_flag("--version", "hymt " HYMT_VERSION);
  app.require_subcommand(1);
  app.get_formatter()->column_width(34);
  hymt::cli::Action action;
  for (const auto add : kCommands) add(app, action);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  if (const auto done = action(); !done) {
    std::fprintf(stderr, "hymt: %s\n", done.error().message.c_str());
    return 1;
  }
  std::cout.flush();
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0 || !std::cout) {
    std::fprintf(stderr, "hymt: cannot write to standard output\n");
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::exception& error) {  // a library's; ours are values
    std::fprintf(stderr, "hymt: %s\n", error.what());
    return 1;
  }
}
