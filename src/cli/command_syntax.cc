#include "src/cli/command_syntax.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sstream>
#include <utility>

#include "src/base/text.h"

namespace wattree {
namespace {

std::vector<const CLI::App*> commands_of(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// CLI11 keeps the words of one_of() and offers() in what --help shows: "TEXT:{bash,zsh,fish}".
std::vector<std::string> choices_of(const CLI::Option& option) {
  const std::string shown = option.get_type_name();
  const std::size_t open = shown.find(":{");
  if (open == std::string::npos || !shown.ends_with('}')) return {};
  return split(shown.substr(open + 2, shown.size() - open - 3), ',');
}

void add_options(const CLI::App& command, CommandWords& words) {
  const auto add = [&](const std::string& name, const CLI::Option& option) {
    const bool is_there = std::any_of(words.options.begin(), words.options.end(),
                                      [&](const OptionWords& known) { return known.name == name; });
    if (is_there) return;
    words.options.push_back({name, option.get_items_expected_max() > 0, choices_of(option)});
  };
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_group().empty()) continue;  // Hidden.
    for (const std::string& name : option->get_snames()) add("-" + name, *option);
    for (const std::string& name : option->get_lnames()) add("--" + name, *option);
    if (option->get_positional()) {
      for (std::string& name : split(option->get_name(true), '|')) words.takes.push_back(name);
    }
  }
}

// Whether a command or one below it has this option, hidden ones included.
bool knows(const CLI::App& command, const std::string& flag) {
  const auto has_flag = [&](const CLI::App* candidate) {
    return candidate->get_option_no_throw(flag) != nullptr;
  };
  const auto below = commands_of(command);
  return has_flag(&command) || std::any_of(below.begin(), below.end(), has_flag);
}

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

// The field of a request that an option fills: "passes_per_query" of --passes-per-query. Arguments
// keep their own name.
std::string field_of(const CLI::Option& option) {
  if (option.get_lnames().empty()) return option.get_name();
  std::string name = option.get_lnames().front();
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

// A usage line of its own, above the options as usual.
class UsageFormatter : public CLI::Formatter {
 public:
  explicit UsageFormatter(std::string text) : text_(std::move(text)) {}
  std::string make_usage(const CLI::App* /*app*/, std::string name) const override {
    return "Usage: " + name + " " + text_ + "\n";
  }

 private:
  std::string text_;
};

// The command that was typed, with those above it: "wattree profiles show".
std::string typed_command(const CLI::App& app) {
  const std::vector<CLI::App*> below = app.get_subcommands();
  return app.get_name() + (below.empty() ? "" : " " + typed_command(*below.front()));
}

const CLI::App& innermost(const CLI::App& app) {
  const std::vector<CLI::App*> below = app.get_subcommands();
  return below.empty() ? app : innermost(*below.front());
}

// How CLI11 begins what it says of a value of the wrong type: the option's name comes after it.
constexpr std::string_view kNoNumber = "Could not convert: ";

// CLI11 names what it does not know backwards.
std::string in_order(const CLI::App& typed) {
  std::vector<std::string> left = typed.remaining();
  for (const CLI::App* above = typed.get_parent(); left.empty() && above != nullptr;
       above = above->get_parent()) {
    left = above->remaining();
  }
  return join(left, " ");
}

// CLI11's own sentences, where they do not say what to do.
std::string plain_message(const CLI::ParseError& error, const CLI::App& typed) {
  std::string what = error.what();
  const auto after = [&what](std::string_view start) { return what.substr(start.size()); };
  constexpr std::string_view kOneTooMany = "The following argument was not expected: ";
  constexpr std::string_view kSomeTooMany = "The following arguments were not expected: ";
  if (what.starts_with(kNoNumber)) return after(kNoNumber) + " is not a number that can be used";
  if (what.starts_with(kOneTooMany)) return "unexpected argument: " + after(kOneTooMany);
  if (what.starts_with(kSomeTooMany)) return "unexpected arguments: " + in_order(typed);
  if (what != "A subcommand is required") return what;
  if (typed.get_parent() == nullptr) return "a command is missing";
  std::vector<std::string> names;
  for (const CLI::App* command : commands_of(typed)) names.push_back(command->get_name());
  return typed.get_name() + " needs one of these words: " + join(names);
}

// The option that CLI11 complains about. Its errors hold a sentence only, which begins with the
// option's name ("--by: foo not in ..."), or has it after a colon ("Could not convert: --top = x").
const CLI::Option* option_in(const CLI::ParseError& error, const CLI::App& typed) {
  std::string_view what = error.what();
  if (what.starts_with(kNoNumber)) what.remove_prefix(kNoNumber.size());
  const std::string_view name = what.substr(0, what.find_first_of(": "));
  for (const CLI::Option* option : typed.get_options()) {
    if (option->get_name() == name) return option;
  }
  return nullptr;
}

std::string usage_hint(const CLI::ParseError& error, const CLI::App& app) {
  const CLI::App& typed = innermost(app);
  if (typed.get_parent() == nullptr)
    return "begin with `wattree predict bert-base-uncased`; `wattree --help` lists the commands";
  const std::string help = "`" + typed_command(app) + " --help` shows the usage and examples";
  const bool has_extras = dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr;
  if (typed.get_name() == "track" && has_extras)
    return "put -- before the command: wattree track -- " + in_order(typed);
  if (typed.get_name() == "import")
    return "`wattree profiles import` takes runs, such as CodeCarbon's emissions.csv; " + help;
  return help;
}

Error usage_error_of(const CLI::ParseError& error, const CLI::App& app) {
  const CLI::App& typed = innermost(app);
  const CLI::Option* option = option_in(error, typed);
  return {ErrorCode::kInvalidInput, plain_message(error, typed), usage_hint(error, app),
          option == nullptr ? "" : field_of(*option)};
}

std::string did_you_mean(std::string_view word, const std::vector<std::string_view>& candidates,
                         const std::string& otherwise) {
  const std::vector<std::string> close = nearest(word, candidates, 2);
  return close.empty() ? otherwise : "did you mean " + join(close, " or ") + "?";
}

// What other programs call a flag, and what it is here.
struct OtherFlag {
  std::string_view flag, ours;
};
constexpr OtherFlag kOtherFlags[] = {
    {"--seq-len", "--seq"},    {"--seq-length", "--seq"},         {"--sequence-length", "--seq"},
    {"--max-length", "--seq"}, {"--precision", "--dtype"},        {"--device", "--on"},
    {"--gpu", "--on"},         {"--max-new-tokens", "--generate"}};
constexpr std::string_view kFleetFlags[] = {"--gpus", "--num-gpus"};

std::string hint_for_flag(const std::string& flag, const std::vector<std::string_view>& known,
                          const std::string& otherwise) {
  const auto is_in = [](const auto& list, std::string_view name) {
    return std::find(std::begin(list), std::end(list), name) != std::end(list);
  };
  if (is_in(kFleetFlags, flag))
    return "a prediction is for one device; `wattree whatif --hardware` takes fleets";
  for (const OtherFlag& other : kOtherFlags) {
    if (other.flag == flag && is_in(known, other.ours))
      return "did you mean " + std::string(other.ours) + "?";
  }
  // "--batch-size" is "--batch" in more words.
  for (const std::string_view name : known) {
    if (name.size() > 4 && flag.starts_with(std::string(name) + "-"))
      return "did you mean " + std::string(name) + "?";
  }
  return did_you_mean(flag, known, otherwise);
}

}  // namespace

CommandOption CommandOption::required() const { return CommandOption(option_->required()); }

CommandOption CommandOption::one_of(const std::vector<std::string>& words) const {
  return CommandOption(option_->check(CLI::IsMember(words)));
}

CommandOption CommandOption::offers(const std::vector<std::string>& words) const {
  const auto allow_all = [](std::string&) { return std::string(); };
  return CommandOption(option_->check(CLI::Validator(allow_all, "{" + join(words, ",") + "}")));
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

void CommandSyntax::usage(const std::string& text) const {
  app_->formatter(std::make_shared<UsageFormatter>(text));
}

void CommandSyntax::group(const std::string& heading) const { app_->group(heading); }

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
  const auto commands = commands_of(*app_);
  return std::any_of(commands.begin(), commands.end(),
                     [&](const CLI::App* command) { return knows(*command, flag); });
}

bool CommandLine::typed_has(const std::string& flag) const {
  return innermost(*app_).get_option_no_throw(flag) != nullptr;
}

std::string CommandLine::typed_argument(std::string_view name) const {
  for (const CLI::Option* option : innermost(*app_).get_options()) {
    if (!option->get_positional()) continue;
    const std::vector<std::string> names = split(option->get_name(true), '|');
    if (std::find(names.begin(), names.end(), name) != names.end()) return option->get_name(true);
  }
  return "";
}

std::vector<CommandWords> CommandLine::words() const {
  std::vector<CommandWords> out;
  for (const CLI::App* command : commands_of(*app_)) {
    CommandWords words{command->get_name(), command->get_description(), {}, {}, {}};
    add_options(*command, words);
    for (const CLI::App* below : commands_of(*command)) {
      words.below.push_back(below->get_name());
      add_options(*below, words);
    }
    out.push_back(std::move(words));
  }
  return out;
}

std::optional<Error> CommandLine::empty_option() const {
  const CLI::Option* found = find_empty(*app_);
  if (found == nullptr) return std::nullopt;
  return Error{ErrorCode::kInvalidInput, found->get_name() + " is empty", "", field_of(*found)};
}

std::optional<Error> CommandLine::misspelt(const std::vector<std::string>& arguments) const {
  if (arguments.empty() || arguments.front().starts_with("-")) return std::nullopt;
  const std::vector<CommandWords> commands = words();
  const auto command = std::find_if(
      commands.begin(), commands.end(),
      [&](const CommandWords& candidate) { return candidate.name == arguments.front(); });
  std::vector<std::string_view> names;
  if (command == commands.end()) {
    for (const CommandWords& known : commands) names.push_back(known.name);
    return Error{ErrorCode::kInvalidInput, "there is no command \"" + arguments.front() + "\"",
                 did_you_mean(arguments.front(), names, "`wattree --help` lists them")};
  }
  for (const OptionWords& option : command->options) names.push_back(option.name);
  for (const std::string& argument : arguments) {
    const std::string flag = argument.substr(0, argument.find('='));
    if (!flag.starts_with("--") || flag == "--") continue;
    if (knows(*app_->get_subcommand(command->name), flag)) continue;
    return Error{ErrorCode::kInvalidInput, command->name + " has no option " + flag,
                 hint_for_flag(flag, names, "`wattree " + command->name + " --help` lists them"),
                 flag};
  }
  return std::nullopt;
}

CommandLine::Parsed CommandLine::parse(const std::vector<std::string>& arguments) const {
  try {
    // CLI11 takes the arguments last to first.
    app_->parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
    return {};
  } catch (const CLI::ParseError& error) {
    const bool is_asked = error.get_exit_code() == 0;  // --help, --version
    if (!is_asked) return {Ending::kWrong, usage_error_of(error, *app_)};
    std::ostringstream out;
    app_->exit(error, out, out);
    return {Ending::kAnswered, {}, out.str()};
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
