// The plugin that tests use: the one that was built with them, or another that the environment
// names.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>

namespace wattree {

inline std::string tested_plugin() {
  const char* named = std::getenv("WATTREE_TORCH_PLUGIN");
  return named != nullptr ? named : WATTREE_TORCH_PLUGIN;
}

inline constexpr char kWithoutPlugin[] =
    "libwattree-torch.so was not built, because LibTorch was not found (Debian, Ubuntu: apt "
    "install "
    "libtorch-dev)";

inline bool has_plugin() { return std::filesystem::exists(tested_plugin()); }

}  // namespace wattree
