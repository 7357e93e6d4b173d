// Environment variables, and the user's folders that they name (XDG Base Directory Specification).
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

namespace wattree {

// A variable's value; nothing where it is unset.
using Environment = std::function<std::optional<std::string>(const char*)>;

enum class XdgFolder {
  kCache,   // $XDG_CACHE_HOME, or else ~/.cache
  kConfig,  // $XDG_CONFIG_HOME, or else ~/.config
  kData,    // $XDG_DATA_HOME, or else ~/.local/share
  kState,   // $XDG_STATE_HOME, or else ~/.local/state
  kRuntime  // $XDG_RUNTIME_DIR; there is nothing in its place
};

// The user's folder for files of that kind; empty where there is none. As the specification says, a
// variable that is empty counts as unset, and one that holds a relative path is ignored.
std::filesystem::path xdg_folder(XdgFolder folder, const Environment& environment);

}  // namespace wattree
