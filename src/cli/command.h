// One command of the program: each has a file of its own, and cli.cc lists them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/cli/cli.h"

// NOLINTNEXTLINE(readability-identifier-naming): the library's own name.
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
Command predict_command(CLI::App& app);
Command models_command(CLI::App& app);
Command import_command(CLI::App& app);
Command dataset_command(CLI::App& app);
Command train_command(CLI::App& app);
Command evaluate_command(CLI::App& app);
Command annotate_command(CLI::App& app);
Command carbon_command(CLI::App& app);
Command whatif_command(CLI::App& app);
Command compare_command(CLI::App& app);
Command report_command(CLI::App& app);
Command profiles_command(CLI::App& app);
Command regions_command(CLI::App& app);
Command hardware_command(CLI::App& app);
Command meters_command(CLI::App& app);
Command track_command(CLI::App& app);
Command profile_command(CLI::App& app);
Command calibrate_command(CLI::App& app);

// The exit code of a gate that is closed: the command worked, and the answer is no.
inline constexpr int kAboveLimit = 1;
inline constexpr int kUsage = 2;

// What was typed makes no sense: tells the user, as text or as JSON, and returns kUsage.
int usage_error(const Error& error, bool as_json, Surroundings& world);
// Tells the user, as text or as JSON, and returns the error's exit code.
int fail(const Error& error, bool as_json, Surroundings& world);

// Tells the user what --skip-bad left out: so many of `what` ("tree"), for these reasons.
void note_skipped(std::size_t count, std::string_view what, const std::string& reasons,
                  Surroundings& world);

}  // namespace wattree
