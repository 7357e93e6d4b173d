#include "src/cli/completions.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "src/base/text.h"

namespace wattree {
namespace {

// What the program itself is asked for when the user presses Tab, by option or argument.
struct Asked {
  std::string_view of;
  std::string_view command;
};
constexpr std::array<Asked, 6> kAsked{{
    {"MODEL", "wattree models --names"},
    {"PROFILE", "wattree profiles list --names"},
    {"ID", "wattree profiles list --names"},
    {"--on", "wattree hardware --names"},
    {"--hardware", "wattree hardware --names"},
    {"--region", "wattree regions --names"},
}};

std::string_view command_for(std::string_view what) {
  const auto* found = std::find_if(kAsked.begin(), kAsked.end(),
                                   [&](const Asked& asked) { return asked.of == what; });
  return found == kAsked.end() ? std::string_view() : found->command;
}

// The commands that list what a command's arguments may be.
std::vector<std::string> commands_for(const CommandWords& command) {
  std::vector<std::string> out;
  for (const std::string& argument : command.takes) {
    const std::string asked(command_for(argument));
    if (!asked.empty() && std::find(out.begin(), out.end(), asked) == out.end()) {
      out.push_back(asked);
    }
  }
  return out;
}

std::string asked_in_bash(std::string_view command) {
  return fmt::format("$({} 2>/dev/null)", command);
}

// What bash offers after an option: its choices, what the program knows, or else files.
std::string values_in_bash(const OptionWords& option) {
  if (!option.choices.empty()) return join(option.choices, " ");
  const std::string_view asked = command_for(option.name);
  return asked.empty() ? "" : asked_in_bash(asked);
}

std::string bash_options(const CommandWords& command) {
  std::map<std::string, std::vector<std::string>> by_values;
  for (const OptionWords& option : command.options) {
    if (option.takes_value) by_values[values_in_bash(option)].push_back(option.name);
  }
  std::string out;
  for (const auto& [values, options] : by_values) {
    out += fmt::format("        {}) words=\"{}\" ;;\n", join(options, "|"), values);
  }
  return out;
}

std::string bash(const std::vector<CommandWords>& commands) {
  std::string out =
      "# bash completion for wattree: eval \"$(wattree completions bash)\"\n"
      "_wattree() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" before=\"${COMP_WORDS[COMP_CWORD-1]}\" words\n"
      "  case \"${COMP_CWORD}:${COMP_WORDS[1]}\" in\n";
  std::vector<std::string> names;
  for (const CommandWords& command : commands) names.push_back(command.name);
  out += fmt::format("    1:*) words=\"{} --help --version\" ;;\n", join(names, " "));
  for (const CommandWords& command : commands) {
    std::vector<std::string> words = command.below;
    for (const OptionWords& option : command.options) words.push_back(option.name);
    for (const std::string& asked : commands_for(command)) words.push_back(asked_in_bash(asked));
    out +=
        fmt::format("    *:{}) case \"$before\" in\n{}        *) words=\"{}\" ;;\n      esac ;;\n",
                    command.name, bash_options(command), join(words, " "));
  }
  out +=
      "  esac\n"
      "  COMPREPLY=($(compgen -W \"$words\" -- \"$word\"))\n"
      "  [[ ${#COMPREPLY[@]} -eq 0 ]] && COMPREPLY=($(compgen -f -- \"$word\"))\n"
      "}\n"
      "complete -F _wattree wattree\n";
  return out;
}

// zsh runs bash's completions.
std::string zsh(const std::vector<CommandWords>& commands) {
  return "# zsh completion for wattree: eval \"$(wattree completions zsh)\"\n"
         "autoload -U +X bashcompinit && bashcompinit\n" +
         bash(commands);
}

std::string fish_option(const OptionWords& option) {
  const bool is_long = option.name.starts_with("--");
  std::string out = fmt::format("-{} {}", is_long ? "l" : "s", option.name.substr(is_long ? 2 : 1));
  if (!option.takes_value) return out;
  if (!option.choices.empty()) {
    return out + fmt::format(" -x -a '{}'", join(option.choices, " "));
  }
  const std::string_view asked = command_for(option.name);
  return out + (asked.empty() ? " -r" : fmt::format(" -x -a '({})'", asked));
}

std::string fish(const std::vector<CommandWords>& commands) {
  std::string out = "# fish completion for wattree: wattree completions fish | source\n";
  for (const CommandWords& command : commands) {
    out += fmt::format("complete -c wattree -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                       command.description);
    const std::string begin =
        fmt::format("complete -c wattree -n '__fish_seen_subcommand_from {}' ", command.name);
    for (const std::string& name : command.below) out += begin + "-a " + name + "\n";
    for (const OptionWords& option : command.options) out += begin + fish_option(option) + "\n";
    for (const std::string& asked : commands_for(command)) out += begin + "-a '(" + asked + ")'\n";
  }
  return out;
}

}  // namespace

std::string completion_script(std::string_view shell, const std::vector<CommandWords>& commands) {
  if (shell == "bash") return bash(commands);
  if (shell == "zsh") return zsh(commands);
  if (shell == "fish") return fish(commands);
  return "";
}

}  // namespace wattree
