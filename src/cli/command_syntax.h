// What a command is called and which arguments it takes: the program's view of CLI11. Its headers
// take seconds to compile, so that commands see this one instead.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/cli/completions.h"

// NOLINTNEXTLINE(readability-identifier-naming): the library's own name.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace wattree {

// One flag or argument of a command. A handle: copies mean the same option.
class CommandOption {
 public:
  explicit CommandOption(CLI::Option* option) : option_(option) {}

  CommandOption required() const;
  // Only these words, in --help and in completions.
  CommandOption one_of(const std::vector<std::string>& words) const;
  // These words are offered there, but the command itself checks what was typed: it knows other
  // spellings or says more about what is wrong.
  CommandOption offers(const std::vector<std::string>& words) const;
  CommandOption between(int least, int most) const;
  CommandOption excludes(CommandOption other) const;
  CommandOption excludes(const std::string& other) const;
  // --help shows the value that the variable has now.
  CommandOption show_default() const;
  // What --help calls its value.
  CommandOption type_name(const std::string& name) const;
  // Of a list: a word after its value is not another one. It may stand there several times.
  CommandOption one_value_each() const;
  // The same, with what --help calls each value.
  CommandOption repeatable(const std::string& type_name) const;
  // So many values, one after the other.
  CommandOption values(int least, int most) const;
  // May stand without a value, and then means this one.
  CommandOption value_or(const std::string& value) const;
  // --help does not show it.
  CommandOption hidden() const;

 private:
  CLI::Option* option_;
};

// The program or one of its commands. A handle, too.
class CommandSyntax {
 public:
  explicit CommandSyntax(CLI::App* app) : app_(app) {}

  CommandSyntax add_subcommand(const std::string& name, const std::string& description) const;
  void require_subcommand() const;
  void footer(const std::string& text) const;
  // What --help shows after "Usage: wattree COMMAND", where the options alone do not tell.
  void usage(const std::string& text) const;
  // The heading under which the program's --help lists it.
  void group(const std::string& heading) const;
  CommandOption add_flag(const std::string& names, bool& value, const std::string& help) const;
  // Parsing fills `value`, which lives as long. The end of command_syntax.cc lists what T may be.
  template <class T>
  CommandOption add_option(const std::string& names, T& value, const std::string& help = "") const;

  // Whether this command was typed.
  bool parsed() const;
  // Whether it has this option and the option was typed.
  bool is_given(const std::string& name) const;

 private:
  CLI::App* app_;
};

// The program's own syntax: the root of all commands.
class CommandLine {
 public:
  CommandLine(const std::string& name, const std::string& version, const std::string& description);
  CommandLine(const CommandLine&) = delete;
  CommandLine& operator=(const CommandLine&) = delete;
  ~CommandLine();

  CommandSyntax syntax() const;
  // A flag of any command, such as "--dtype".
  bool has(const std::string& flag) const;
  // Of the command that was typed.
  bool typed_has(const std::string& flag) const;
  // The argument of the typed command that has this name, as --help shows it: "ENERGY|PROFILE" of
  // "PROFILE". Empty where there is none.
  std::string typed_argument(std::string_view name) const;
  // For completions.
  std::vector<CommandWords> words() const;

  // Of a command line that did not parse: the command or option that does not exist, with the one
  // that may be meant.
  std::optional<Error> misspelt(const std::vector<std::string>& arguments) const;

  enum class Ending { kCommand, kAnswered, kWrong };
  struct Parsed {
    Ending ending = Ending::kCommand;
    Error error;           // What is wrong, and what to do.
    std::string out = {};  // What --help and --version print.
  };
  // Of a command line that parsed: the option that was typed with an empty value.
  std::optional<Error> empty_option() const;
  Parsed parse(const std::vector<std::string>& arguments) const;

 private:
  std::unique_ptr<CLI::App> app_;
};

}  // namespace wattree
