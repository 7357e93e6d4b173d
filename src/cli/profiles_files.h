// Those of the commands below `wattree profiles` that read and write files.
#pragma once

#include <vector>

#include "src/cli/command.h"

namespace wattree {

// import, estimate, export, recover, backup and restore.
std::vector<Command> profiles_files_commands(CommandSyntax profiles);

}  // namespace wattree
