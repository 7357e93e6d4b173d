#include "src/base/environment.h"

#include <gtest/gtest.h>

#include <map>

namespace wattree {
namespace {

Environment of(std::map<std::string, std::string> variables) {
  return [variables = std::move(variables)](const char* name) -> std::optional<std::string> {
    const auto found = variables.find(name);
    return found != variables.end() ? std::optional(found->second) : std::nullopt;
  };
}

TEST(Xdg, TheVariableComesBeforeTheHomeFolder) {
  const Environment both = of({{"XDG_DATA_HOME", "/data"}, {"HOME", "/home/me"}});
  EXPECT_EQ(xdg_folder(XdgFolder::kData, both), "/data");
  EXPECT_EQ(xdg_folder(XdgFolder::kState, both), "/home/me/.local/state");
  EXPECT_EQ(xdg_folder(XdgFolder::kConfig, both), "/home/me/.config");
  EXPECT_EQ(xdg_folder(XdgFolder::kCache, both), "/home/me/.cache");
  EXPECT_EQ(xdg_folder(XdgFolder::kData, of({{"HOME", "/home/me"}})), "/home/me/.local/share");
}

TEST(Xdg, EmptyAndRelativePathsAreIgnored) {
  for (const char* bad : {"", "data", "./data", "~/data"}) {
    const Environment environment = of({{"XDG_DATA_HOME", bad}, {"HOME", "/home/me"}});
    EXPECT_EQ(xdg_folder(XdgFolder::kData, environment), "/home/me/.local/share") << bad;
    EXPECT_EQ(xdg_folder(XdgFolder::kRuntime, of({{"XDG_RUNTIME_DIR", bad}})), "") << bad;
  }
}

TEST(Xdg, WithoutAHomeThereIsNone) {
  EXPECT_EQ(xdg_folder(XdgFolder::kConfig, of({})), "");
  EXPECT_EQ(xdg_folder(XdgFolder::kConfig, of({{"HOME", ""}})), "");
  EXPECT_EQ(xdg_folder(XdgFolder::kRuntime, of({{"HOME", "/home/me"}})), "");
  EXPECT_EQ(xdg_folder(XdgFolder::kRuntime, of({{"XDG_RUNTIME_DIR", "/run/user/1"}})),
            "/run/user/1");
}

}  // namespace
}  // namespace wattree
