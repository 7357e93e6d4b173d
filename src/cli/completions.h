// Shell completions, made from the command line's own description of itself.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wattree {

struct CommandWords {
  std::string name;
  std::string description;
  std::vector<std::string> below;    // Commands of its own: `irene` of `import`.
  std::vector<std::string> options;  // Its own and theirs.
  bool takes_model = false;
};

// "bash", "zsh" or "fish"; empty for any other shell.
std::string completion_script(std::string_view shell, const std::vector<CommandWords>& commands);

}  // namespace wattree
