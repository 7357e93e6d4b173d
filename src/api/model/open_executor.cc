#include "src/api/model/open_executor.h"

namespace wattree {

PluginOptions plugin_options(const ExecutorQuery& query) {
  constexpr const char* kFile = "libwattree-torch.so";
  PluginOptions options;
  if (!query.plugin.empty()) {
    options.paths = {query.plugin};
  } else {
    std::error_code ignored;
    const std::filesystem::path program =
        query.program.empty() ? std::filesystem::read_symlink("/proc/self/exe", ignored)
                              : query.program;
    for (const char* place : {".", "../lib", "../torch"}) {
      const std::filesystem::path path = program.parent_path() / place / kFile;
      if (std::filesystem::exists(path, ignored)) options.paths.push_back(path.string());
    }
    options.paths.emplace_back(kFile);  // Where libraries are.
  }
  options.device = query.device.empty() ? "cuda" : query.device;
  return options;
}

Result<std::unique_ptr<Executor>> open_executor(const ExecutorQuery& query) {
  PluginOptions options = plugin_options(query);
  Result<std::unique_ptr<Executor>> opened = open_torch_executor(options);
  if (opened.ok() || !query.device.empty()) return opened;
  options.device = "cpu";
  return open_torch_executor(options);
}

}  // namespace wattree
