// The commands of hymt. Each file adds one: its options, its help, and what it does.
#pragma once

#include <functional>

#include "base/result.h"

namespace CLI {
class App;
}

namespace hymt::cli {

// What the chosen command does; runs after the whole command line has been parsed. An error is
// printed as one line and the process exits with 1 (wrong usage: CLI11 has exited with 2 before).
using Action = std::function<Result<void>()>;

// Adds the subcommand to `app`; its callback stores what to do in `action`.
using AddCommand = void (*)(CLI::App& app, Action& action);

void add_bench(CLI::App& app, Action& action);
void add_eval(CLI::App& app, Action& action);
void add_generate(CLI::App& app, Action& action);
void add_inspect(CLI::App& app, Action& action);
void add_load(CLI::App& app, Action& action);
void add_quantize(CLI::App& app, Action& action);
void add_serve(CLI::App& app, Action& action);
void add_tokenize(CLI::App& app, Action& action);
void add_translate(CLI::App& app, Action& action);

}  // namespace hymt::cli
