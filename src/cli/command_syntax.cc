#include "src/cli/command_syntax.h"

#include <CLI/CLI.hpp>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>

namespace wattree {

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
