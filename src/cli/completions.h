// Shell completions, made from the command line's own description of itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wattree {

struct OptionWords {
  std::string name;  // "--dtype"
  bool takes_value = false;
  std::vector<std::string> choices = {};  // The words to offer, where they are few.
};

struct CommandWords {
  std::string name;
  std::string description;
  std::vector<std::string> below;    // Commands of its own: `irene` of `import`.
  std::vector<OptionWords> options;  // Its own and theirs; none that is hidden.
  std::vector<std::string> takes;    // Its arguments: "MODEL", "PROFILE".
};

// "bash", "zsh" or "fish"; empty for any other shell.
std::string completion_script(std::string_view shell, const std::vector<CommandWords>& commands);

}  // namespace wattree
