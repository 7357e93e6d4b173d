#include "src/cli/command_syntax.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

namespace wattree {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

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

}  // namespace

CommandOption CommandOption::required() const { return CommandOption(option_->required()); }

CommandOption CommandOption::one_of(const std::vector<std::string>& words) const {
  return CommandOption(option_->check(CLI::IsMember(words)));
}

CommandOption CommandOption::between(int least, int most) const {
  return CommandOption(option_->check(CLI::Range(least, most)));
}

CommandOption CommandOption::excludes(CommandOption other) const {
  return CommandOption(option_->excludes(other.option_));
}

CommandOption CommandOption::excludes(const std::string& other) const {
  return CommandOption(option_->excludes(other));
}

CommandOption CommandOption::show_default() const {
  return CommandOption(option_->capture_default_str());
}

CommandOption CommandOption::type_name(const std::string& name) const {
  return CommandOption(option_->type_name(name));
}

CommandOption CommandOption::one_value_each() const {
  return CommandOption(option_->allow_extra_args(false));
}

CommandOption CommandOption::repeatable(const std::string& type_name) const {
  option_->take_all()->type_name(type_name)->expected(1);
  return one_value_each();
}

CommandOption CommandOption::values(int least, int most) const {
  return CommandOption(option_->expected(least, most));
}

CommandOption CommandOption::value_or(const std::string& value) const {
  return CommandOption(option_->expected(0, 1)->default_str(value));
}

CommandOption CommandOption::hidden() const { return CommandOption(option_->group("")); }

CommandSyntax CommandSyntax::add_subcommand(const std::string& name,
                                            const std::string& description) const {
  return CommandSyntax(app_->add_subcommand(name, description));
}

void CommandSyntax::require_subcommand() const { app_->require_subcommand(1); }

void CommandSyntax::footer(const std::string& text) const { app_->footer(text); }

CommandOption CommandSyntax::add_flag(const std::string& names, bool& value,
                                      const std::string& help) const {
  return CommandOption(app_->add_flag(names, value, help));
}

template <class T>
CommandOption CommandSyntax::add_option(const std::string& names, T& value,
                                        const std::string& help) const {
  return CommandOption(app_->add_option(names, value, help));
}

bool CommandSyntax::parsed() const { return app_->parsed(); }

bool CommandSyntax::is_given(const std::string& name) const {
  const CLI::Option* option = app_->get_option_no_throw(name);
  return option != nullptr && option->count() > 0;
}

CommandLine::CommandLine(const std::string& name, const std::string& version,
                         const std::string& description)
    : app_(std::make_unique<CLI::App>(description, name)) {
  app_->set_version_flag("--version", name + " " + version);
}

CommandLine::~CommandLine() = default;

CommandSyntax CommandLine::syntax() const { return CommandSyntax(app_.get()); }

bool CommandLine::has(const std::string& flag) const {
  const auto has_flag = [&](const CLI::App* command) {
    return command->get_option_no_throw(flag) != nullptr;
  };
  const auto commands = commands_of(*app_);
  return std::any_of(commands.begin(), commands.end(), [&](const CLI::App* command) {
    const auto below = commands_of(*command);
    return has_flag(command) || std::any_of(below.begin(), below.end(), has_flag);
  });
}

std::vector<CommandWords> CommandLine::words() const {
  std::vector<CommandWords> out;
  for (const CLI::App* command : commands_of(*app_)) {
    CommandWords words{command->get_name(), command->get_description(), {}, {}, false};
    add_options(*command, words);
    for (const CLI::App* below : commands_of(*command)) {
      words.below.push_back(below->get_name());
      add_options(*below, words);
    }
    out.push_back(std::move(words));
  }
  return out;
}

CommandLine::Parsed CommandLine::parse(const std::vector<std::string>& arguments) const {
  try {
    // CLI11 takes the arguments last to first.
    app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    return {};
  } catch (const CLI::ParseError& error) {
    std::ostringstream out;
    std::ostringstream err;
    app_->exit(error, out, err);
    const bool is_asked = error.get_exit_code() == 0;  // --help, --version
    return {is_asked ? Ending::kAnswered : Ending::kWrong, error.what(), out.str(), err.str()};
  }
}

template CommandOption CommandSyntax::add_option(const std::string&, std::string&,
                                                 const std::string&) const;
template CommandOption CommandSyntax::add_option(const std::string&, std::vector<std::string>&,
                                                 const std::string&) const;
template CommandOption CommandSyntax::add_option(const std::string&, std::filesystem::path&,
                                                 const std::string&) const;
template CommandOption CommandSyntax::add_option(const std::string&, int&,
                                                 const std::string&) const;
template CommandOption CommandSyntax::add_option(const std::string&, std::int64_t&,
                                                 const std::string&) const;
template CommandOption CommandSyntax::add_option(const std::string&, std::uint16_t&,
                                                 const std::string&) const;
template CommandOption CommandSyntax::add_option(const std::string&, std::size_t&,
                                                 const std::string&) const;
template CommandOption CommandSyntax::add_option(const std::string&, double&,
                                                 const std::string&) const;
template CommandOption CommandSyntax::add_option(const std::string&, std::optional<std::string>&,
                                                 const std::string&) const;
template CommandOption CommandSyntax::add_option(const std::string&, std::optional<int>&,
                                                 const std::string&) const;
template CommandOption CommandSyntax::add_option(const std::string&, std::optional<std::int64_t>&,
                                                 const std::string&) const;
template CommandOption CommandSyntax::add_option(const std::string&, std::optional<std::size_t>&,
                                                 const std::string&) const;
template CommandOption CommandSyntax::add_option(const std::string&, std::optional<double>&,
                                                 const std::string&) const;

}  // namespace wattree
