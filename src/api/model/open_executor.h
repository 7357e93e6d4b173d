// Finds the plugin that runs nodes.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "src/base/result.h"
#include "src/measure/runner/launch.h"
#include "src/measure/runner/plugin.h"

namespace wattree {

struct ExecutorQuery {
  std::string device;  // Empty: cuda where there is one, or else cpu.
  std::string plugin;  // Empty: looked for.
  // Whose folder the plugin may lie in, or in lib beside that. Empty: the program that runs.
  std::filesystem::path program = {};
};
// Where the plugin may be; the device is cuda where none was named.
PluginOptions plugin_options(const ExecutorQuery& query);
Result<std::unique_ptr<Executor>> open_executor(const ExecutorQuery& query);

}  // namespace wattree
