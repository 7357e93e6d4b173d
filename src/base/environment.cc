#include "src/base/environment.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

// An absolute path, or nothing.
fs::path path_in(const Environment& environment, const char* name) {
  fs::path path = environment(name).value_or("");
  return path.is_absolute() ? path : fs::path();
}

}  // namespace

fs::path xdg_folder(XdgFolder folder, const Environment& environment) {
  const char* name = nullptr;
  const char* below_home = nullptr;
  switch (folder) {
    case XdgFolder::kCache:
      name = "XDG_CACHE_HOME";
      below_home = ".cache";
      break;
    case XdgFolder::kConfig:
      name = "XDG_CONFIG_HOME";
      below_home = ".config";
      break;
    case XdgFolder::kData:
      name = "XDG_DATA_HOME";
      below_home = ".local/share";
      break;
    case XdgFolder::kState:
      name = "XDG_STATE_HOME";
      below_home = ".local/state";
      break;
    case XdgFolder::kRuntime: return path_in(environment, "XDG_RUNTIME_DIR");
  }
  if (fs::path path = path_in(environment, name); !path.empty()) return path;
  const fs::path home = path_in(environment, "HOME");
  return home.empty() ? fs::path() : home / below_home;
}

}  // namespace wattree
