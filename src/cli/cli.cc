#include "src/cli/cli.h"

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <ostream>

#include "src/base/version.h"
#include "src/cli/command.h"
#include "src/cli/completions.h"
#include "src/runs/store/sqlite/sqlite_store.h"

namespace wattree {
namespace {

Command completions_command(const CommandLine& line) {
  auto shell = std::make_shared<std::string>();
  const CommandSyntax completions = line.syntax().add_subcommand(
      "completions", "Print a completion script for bash, zsh or fish");
  completions.add_option("SHELL", *shell, "bash, zsh or fish")
      .required()
      .one_of({"bash", "zsh", "fish"});
  completions.footer("Example:\n  eval \"$(wattree completions bash)\"\n");
  return {completions, [shell, &line](Surroundings& world) {
            world.out << completion_script(*shell, line.words());
            return 0;
          }};
}

// How the flags of a request's fields are called: as the fields, with few exceptions.
std::string flag_of(const CommandLine& line, std::string_view field) {
  if (field == "model") return "MODEL";
  if (field == "batch") return "-b";
  if (field == "seq") return "-s";
  if (field == "output") return "-o";
  if (field == "node") return "--explain";
  if (field.empty()) return "";
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  return line.has(flag) ? flag : "";
}

// A full disk must not pass for success.
int written(int code, Surroundings& world) {
  world.out.flush();
  if (world.out || code != 0) return code;
  return fail({ErrorCode::kUnavailable, "the output cannot be written",
               "is the disk full, or was the output closed?"},
              false, world);
}

// The exit code of a command line that is no command to run: wrong, or answered already.
std::optional<int> parse(const CommandLine& line, const std::vector<std::string>& arguments,
                         Surroundings& world) {
  const bool as_json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  const CommandLine::Parsed parsed = line.parse(arguments);
  switch (parsed.ending) {
    case CommandLine::Ending::kAnswered: world.out << parsed.out; return written(0, world);
    case CommandLine::Ending::kWrong:
      if (const auto error = line.misspelt(arguments)) return usage_error(*error, as_json, world);
      if (as_json) {
        return usage_error({ErrorCode::kInvalidInput, parsed.message, ""}, as_json, world);
      }
      world.err << parsed.err;
      return kUsage;
    case CommandLine::Ending::kCommand: break;
  }
  // "--on ''" is a variable that was not set, and not a wish for the default.
  if (const std::string empty = line.empty_option(); !empty.empty()) {
    return usage_error({ErrorCode::kInvalidInput, empty + " is empty", ""}, as_json, world);
  }
  return std::nullopt;
}

int parse_and_run(const std::vector<std::string>& arguments, Surroundings& world) {
  const CommandLine line(
      "wattree", kVersion,
      "Where the energy of machine-learning models goes: before, during and after a run.");
  const CommandSyntax syntax = line.syntax();
  syntax.require_subcommand();
  syntax.footer("`wattree COMMAND --help` shows a command's options and examples.\n");
  const std::vector<Command> commands{
      tree_command(syntax),      predict_command(syntax),  models_command(syntax),
      meters_command(syntax),    track_command(syntax),    profile_command(syntax),
      calibrate_command(syntax), import_command(syntax),   dataset_command(syntax),
      carbon_command(syntax),    whatif_command(syntax),   compare_command(syntax),
      report_command(syntax),    profiles_command(syntax), token_command(syntax),
      regions_command(syntax),   hardware_command(syntax), train_command(syntax),
      evaluate_command(syntax),  annotate_command(syntax), completions_command(line),
  };
  // What follows "--" is a program of the user's with arguments of its own: CLI11 would take some
  // of them ("[a,b]") apart.
  auto end = arguments.end();
  if (!arguments.empty() && arguments.front() == "track") {
    end = std::find(arguments.begin(), arguments.end(), "--");
    if (end != arguments.end()) world.command.assign(end + 1, arguments.end());
  }
  world.services = services_from(world.environment);
  world.services.stores = sqlite_stores();
  world.flag_of = [&line](std::string_view field) { return flag_of(line, field); };
  const std::vector<std::string> own(arguments.begin(), end);
  if (const auto code = parse(line, own, world)) return *code;
  for (const Command& command : commands) {
    if (command.syntax.parsed()) return written(command.run(world), world);
  }
  return kUsage;
}

}  // namespace

bool prints_data(const std::vector<std::string>& arguments) {
  static constexpr std::array<std::string_view, 6> kData{"--json", "--csv",  "--names",
                                                         "export", "report", "completions"};
  return std::any_of(arguments.begin(), arguments.end(), [](const std::string& argument) {
    return std::find(kData.begin(), kData.end(), argument) != kData.end();
  });
}

int run_cli(const std::vector<std::string>& arguments, Surroundings world) {
  // Errors are values, so an exception here is a fault of the program or memory that ran out. The
  // user gets a sentence and an exit code all the same, and not an abort.
  std::string what = "an exception of an unknown type";
  try {
    return parse_and_run(arguments, world);
  } catch (const std::exception& thrown) {
    what = thrown.what();
  } catch (...) {
  }
  world.flag_of = plain_field_name;  // The flags went with what described them.
  const auto end = std::find(arguments.begin(), arguments.end(), "--");
  const bool as_json = std::find(arguments.begin(), end, "--json") != end;
  return fail({ErrorCode::kInternal, "this should not have happened: " + what,
               "please report it with the command that you ran"},
              as_json, world);
}

}  // namespace wattree
