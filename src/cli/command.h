// One command of the program: each has a file of its own, and cli.cc lists them.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/cli/cli.h"
#include "src/cli/command_syntax.h"

namespace wattree {

struct Command {
  CommandSyntax syntax;                   // Its description of itself, for parsing and --help.
  std::function<int(Surroundings&)> run;  // Returns the exit code.
  // Whether it prints data, whose lines are not to be broken. Where it is none: it never does.
  std::function<bool()> prints_data = {};
};

// Each describes its command below `app`; the flags live in `run`.
Command tree_command(CommandSyntax app);
Command predict_command(CommandSyntax app);
Command suggest_command(CommandSyntax app);
Command leaderboard_command(CommandSyntax app);
Command models_command(CommandSyntax app);
Command import_command(CommandSyntax app);
Command dataset_command(CommandSyntax app);
Command train_command(CommandSyntax app);
Command evaluate_command(CommandSyntax app);
Command annotate_command(CommandSyntax app);
Command carbon_command(CommandSyntax app);
Command whatif_command(CommandSyntax app);
Command compare_command(CommandSyntax app);
Command report_command(CommandSyntax app);
Command profiles_command(CommandSyntax app);
Command token_command(CommandSyntax app);
Command regions_command(CommandSyntax app);
Command hardware_command(CommandSyntax app);
Command meters_command(CommandSyntax app);
Command track_command(CommandSyntax app);
Command serve_command(CommandSyntax app);
Command profile_command(CommandSyntax app);
Command calibrate_command(CommandSyntax app);

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
