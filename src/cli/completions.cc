#include "src/cli/completions.h"

#include <fmt/format.h>

#include "src/base/text.h"

namespace wattree {
namespace {

// Names of models are asked of the program itself when the user presses Tab.
constexpr std::string_view kModels = "$(wattree models --names 2>/dev/null)";

std::string bash(const std::vector<CommandWords>& commands) {
  std::string out =
      "# bash completion for wattree: eval \"$(wattree completions bash)\"\n"
      "_wattree() {\n"
      "  local word=\"${COMP_WORDS[COMP_CWORD]}\" words\n"
      "  case \"${COMP_CWORD}:${COMP_WORDS[1]}\" in\n";
  std::vector<std::string> names;
  for (const CommandWords& command : commands) names.push_back(command.name);
  out += fmt::format("    1:*) words=\"{} --help --version\" ;;\n", join(names, " "));
  for (const CommandWords& command : commands) {
    std::vector<std::string> words = command.below;
    words.insert(words.end(), command.options.begin(), command.options.end());
    out += fmt::format("    *:{}) words=\"{}{}\" ;;\n", command.name, join(words, " "),
                       command.takes_model ? " " + std::string(kModels) : "");
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

std::string fish(const std::vector<CommandWords>& commands) {
  std::string out = "# fish completion for wattree: wattree completions fish | source\n";
  for (const CommandWords& command : commands) {
    out += fmt::format("complete -c wattree -n __fish_use_subcommand -a {} -d '{}'\n", command.name,
                       command.description);
    for (const std::string& name : command.below) {
      out += fmt::format("complete -c wattree -n '__fish_seen_subcommand_from {}' -a {}\n",
                         command.name, name);
    }
    for (const std::string& option : command.options) {
      const bool is_long = option.starts_with("--");
      out += fmt::format("complete -c wattree -n '__fish_seen_subcommand_from {}' -{} {}\n",
                         command.name, is_long ? "l" : "s", option.substr(is_long ? 2 : 1));
    }
    if (command.takes_model) {
      out += fmt::format(
          "complete -c wattree -n '__fish_seen_subcommand_from {}' -a '(wattree models --names)'\n",
          command.name);
    }
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
