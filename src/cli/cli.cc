#include "src/cli/cli.h"

#include <algorithm>
#include <cctype>
#include <initializer_list>
#include <memory>
#include <optional>
#include <ostream>

#include "src/base/version.h"
#include "src/cli/command.h"
#include "src/cli/completions.h"
#include "src/cli/wrapped_output.h"
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
  return {completions,
          [shell, &line](Surroundings& world) {
            world.out << completion_script(*shell, line.words());
            return 0;
          },
          [] { return true; }};
}

// A field whose argument has another name.
struct FieldArgument {
  std::string_view field, argument;
};
constexpr FieldArgument kOtherArguments[] = {
    {"models", "MODEL"}, {"run", "PROFILE"},  {"runs", "MODEL"}, {"id", "PROFILE"},
    {"dataset", "FILE"}, {"further", "MORE"}, {"folder", "DIR"}, {"tags", "TAG"}};

// The argument that fills a field, as the --help of the typed command shows it.
std::string argument_of(const CommandLine& line, std::string_view field) {
  std::string name(field);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  std::string shown = line.typed_argument(name);
  for (const FieldArgument& known : kOtherArguments) {
    if (shown.empty() && known.field == field) shown = line.typed_argument(known.argument);
  }
  return shown;
}

// What the flag or the argument of a request's field is called: as the field, with few exceptions.
std::string flag_of(const CommandLine& line, std::string_view field) {
  field = field.substr(0, field.find_first_of("[."));  // "models[1]" is one of several.
  if (field == "batch") return "-b";
  if (field == "seq") return "-s";
  if (field == "output") return "-o";
  if (field == "node") return "--explain";
  if (field.empty()) return "";
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  if (line.typed_has(flag)) return flag;
  if (std::string argument = argument_of(line, field); !argument.empty()) return argument;
  if (field == "model") return "MODEL";
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

// Text for a person is broken at the terminal's width, data never.
int run_command(const Command& command, Surroundings& world) {
  const bool is_data = command.prints_data && command.prints_data();
  if (world.width == 0 || is_data) return written(command.run(world), world);
  WrappedOutput buffer(world.out, world.width);
  std::ostream out(&buffer);
  Surroundings wrapped{
      out,           world.err,   world.environment, world.is_err_terminal, world.whole_environment,
      world.command, world.width, world.services,    world.flag_of};
  return written(command.run(wrapped), wrapped);
}

// The exit code of a command line that is no command to run: wrong, or answered already.
std::optional<int> parse(const CommandLine& line, const std::vector<std::string>& arguments,
                         Surroundings& world) {
  const bool as_json = std::find(arguments.begin(), arguments.end(), "--json") != arguments.end();
  const CommandLine::Parsed parsed = line.parse(arguments);
  switch (parsed.ending) {
    case CommandLine::Ending::kAnswered: {
      const Command help{line.syntax(), [&parsed](Surroundings& to) {
                           to.out << parsed.out;
                           return 0;
                         }};
      return run_command(help, world);
    }
    case CommandLine::Ending::kWrong:
      if (const auto error = line.misspelt(arguments)) return usage_error(*error, as_json, world);
      return usage_error(parsed.error, as_json, world);
    case CommandLine::Ending::kCommand: break;
  }
  // "--on ''" is a variable that was not set, and not a wish for the default.
  if (const auto error = line.empty_option()) return usage_error(*error, as_json, world);
  return std::nullopt;
}

// Every command, in the order and under the headings of --help.
std::vector<Command> all_commands(const CommandLine& line) {
  const CommandSyntax app = line.syntax();
  std::vector<Command> out;
  const auto add = [&out](const char* heading, std::initializer_list<Command> commands) {
    for (const Command& command : commands) {
      command.syntax.group(heading);
      out.push_back(command);
    }
  };
  add("Before a run", {predict_command(app), suggest_command(app), compare_command(app),
                       leaderboard_command(app), tree_command(app)});
  add("During a run", {track_command(app), meters_command(app)});
  add("After a run",
      {carbon_command(app), whatif_command(app), report_command(app), profiles_command(app)});
  add("In a browser", {serve_command(app), token_command(app)});
  add("Look-up tables", {models_command(app), hardware_command(app), regions_command(app)});
  add("Your own measurements and predictors",
      {profile_command(app), calibrate_command(app), train_command(app), evaluate_command(app),
       annotate_command(app), dataset_command(app), import_command(app)});
  add("Your shell", {completions_command(line)});
  return out;
}

int parse_and_run(const std::vector<std::string>& arguments, Surroundings& world) {
  const CommandLine line(
      "wattree", kVersion,
      "Where the energy of machine-learning models goes: before, during and after a run.");
  const CommandSyntax syntax = line.syntax();
  syntax.require_subcommand();
  const std::vector<Command> commands = all_commands(line);
  // After the commands, which would inherit it.
  syntax.footer(
      "Begin with:\n"
      "  wattree predict bert-base-uncased\n\n"
      "`wattree COMMAND --help` shows a command's options and examples.\n");
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
    if (command.syntax.parsed()) return run_command(command, world);
  }
  return kUsage;
}

}  // namespace

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
