#include "src/cli/cli.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <ostream>

#include "src/base/version.h"
#include "src/cli/command.h"
#include "src/cli/completions.h"

namespace wattree {
namespace {

void add_options(const CLI::App& command, CommandWords& words) {
  const auto add = [&](const std::string& option) {
    if (std::find(words.options.begin(), words.options.end(), option) == words.options.end()) {
      words.options.push_back(option);
    }
  };
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& name : option->get_snames()) add("-" + name);
    for (const std::string& name : option->get_lnames()) add("--" + name);
    if (option->get_positional() && option->get_name(true) == "MODEL") words.takes_model = true;
  }
}

std::vector<CommandWords> command_words(const CLI::App& app) {
  std::vector<CommandWords> out;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; })) {
    CommandWords words{command->get_name(), command->get_description(), {}, {}, false};
    add_options(*command, words);
    for (const CLI::App* below : command->get_subcommands([](const CLI::App*) { return true; })) {
      words.below.push_back(below->get_name());
      add_options(*below, words);
    }
    out.push_back(std::move(words));
  }
  return out;
}

Command completions_command(CLI::App& app) {
  auto shell = std::make_shared<std::string>();
  CLI::App* completions =
      app.add_subcommand("completions", "Print a completion script for bash, zsh or fish");
  completions->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completions->footer("Example:\n  eval \"$(wattree completions bash)\"\n");
  return {completions, [shell, &app](Surroundings& world) {
            world.out << completion_script(*shell, command_words(app));
            return 0;
          }};
}

// How the flags of a request's fields are called: as the fields, with few exceptions.
std::string flag_of(const CLI::App& app, std::string_view field) {
  if (field == "model") return "MODEL";
  if (field == "batch") return "-b";
  if (field == "seq") return "-s";
  if (field == "output") return "-o";
  if (field == "node") return "--explain";
  if (field.empty()) return "";
  std::string flag = "--" + std::string(field);
  std::replace(flag.begin(), flag.end(), '_', '-');
  const auto has = [&](const CLI::App* command) {
    return command->get_option_no_throw(flag) != nullptr;
  };
  const auto all = [](const CLI::App*) { return true; };
  for (const CLI::App* command : app.get_subcommands(all)) {
    const auto below = command->get_subcommands(all);
    if (has(command) || std::any_of(below.begin(), below.end(), has)) return flag;
  }
  return "";
}

// An option that was given without a value ("--on ''") is a variable that was not set, and not a
// wish for the default.
const CLI::Option* find_empty(const CLI::App& command) {
  for (const CLI::Option* option : command.get_options()) {
    const std::vector<std::string>& values = option->results();
    if (!option->get_positional() && std::find(values.begin(), values.end(), "") != values.end()) {
      return option;
    }
  }
  for (const CLI::App* below : command.get_subcommands()) {
    if (const CLI::Option* found = find_empty(*below)) return found;
  }
  return nullptr;
}

// A full disk must not pass for success.
int written(int code, Surroundings& world) {
  world.out.flush();
  if (world.out || code != 0) return code;
  return fail({ErrorCode::kUnavailable, "the output cannot be written",
               "is the disk full, or was the output closed?"},
              false, world);
}

int parse_and_run(const std::vector<std::string>& arguments, Surroundings& world) {
  CLI::App app("Where the energy of machine-learning models goes: before, during and after a run.",
               "wattree");
  app.set_version_flag("--version", std::string("wattree ") + kVersion);
  app.require_subcommand(1);
  app.footer("`wattree COMMAND --help` shows a command's options and examples.\n");
  const std::vector<Command> commands{
      tree_command(app),    predict_command(app),  models_command(app),    meters_command(app),
      track_command(app),   profile_command(app),  calibrate_command(app), import_command(app),
      dataset_command(app), carbon_command(app),   whatif_command(app),    compare_command(app),
      report_command(app),  profiles_command(app), regions_command(app),   hardware_command(app),
      train_command(app),   evaluate_command(app), annotate_command(app),  completions_command(app),
  };
  // What follows "--" is a program of the user's with arguments of its own: CLI11 would take some
  // of them ("[a,b]") apart.
  auto end = arguments.end();
  if (!arguments.empty() && arguments.front() == "track") {
    end = std::find(arguments.begin(), arguments.end(), "--");
    if (end != arguments.end()) world.command.assign(end + 1, arguments.end());
  }
  world.services = services_from(world.environment);
  world.flag_of = [&app](std::string_view field) { return flag_of(app, field); };
  try {
    // CLI11 takes the arguments last to first.
    std::vector<std::string> reversed(std::make_reverse_iterator(end), arguments.rend());
    app.parse(reversed);
  } catch (const CLI::ParseError& error) {
    const bool asked = error.get_exit_code() == 0;  // --help, --version
    const bool as_json = std::find(arguments.begin(), end, "--json") != end;
    if (!asked && as_json) {
      return usage_error({ErrorCode::kInvalidInput, error.what(), ""}, as_json, world);
    }
    app.exit(error, world.out, world.err);
    return asked ? written(0, world) : kUsage;
  }
  if (const CLI::Option* empty = find_empty(app)) {
    const bool as_json = std::find(arguments.begin(), end, "--json") != end;
    return usage_error({ErrorCode::kInvalidInput, empty->get_name() + " is empty", ""}, as_json,
                       world);
  }
  for (const Command& command : commands) {
    if (command.app->parsed()) return written(command.run(world), world);
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
