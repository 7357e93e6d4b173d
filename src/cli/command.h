// One command of the program: each has a file of its own, and cli.cc lists them.
#pragma once

#include <functional>

#include "src/base/result.h"
#include "src/cli/cli.h"

namespace CLI {
class App;
}

namespace wattree {

struct Command {
  CLI::App* app;                          // Its description of itself, for parsing and --help.
  std::function<int(Surroundings&)> run;  // Returns the exit code.
};

// Each describes its command below `app`; the flags live in `run`.
Command tree_command(CLI::App& app);
Command models_command(CLI::App& app);

inline constexpr int kUsage = 2;

// Tells the user, as text or as JSON, and returns the error's exit code.
int fail(const Error& error, bool as_json, Surroundings& world);

}  // namespace wattree
