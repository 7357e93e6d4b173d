#include "src/models/hub/options.h"

#include <gtest/gtest.h>

#include <map>
#include <string>

namespace wattree {
namespace {

HubOptions options_of(const std::map<std::string, std::string>& variables) {
  return hub_options_from([&](const char* name) -> std::optional<std::string> {
    const auto at = variables.find(name);
    if (at == variables.end()) return std::nullopt;
    return at->second;
  });
}

TEST(HubOptions, AreTheHubsOwnByDefault) {
  const HubOptions options = options_of({{"HOME", "/people/ada"}});
  EXPECT_EQ(options.endpoint, "https://huggingface.co");
  EXPECT_EQ(options.revision, "main");
  EXPECT_EQ(options.token, "");
  EXPECT_EQ(options.token_file, "/people/ada/.cache/huggingface/token");
  EXPECT_EQ(options.cache, "/people/ada/.cache/huggingface/hub");
  EXPECT_FALSE(options.offline);
  EXPECT_EQ(options.proxy, "");
  EXPECT_EQ(options.size_limit, 4u << 20);
}

TEST(HubOptions, FindTheCacheAsHuggingfaceHubDoes) {
  EXPECT_EQ(options_of({{"HOME", "/h"}, {"XDG_CACHE_HOME", "/x"}}).cache, "/x/huggingface/hub");
  EXPECT_EQ(options_of({{"XDG_CACHE_HOME", "/x"}, {"HF_HOME", "/hf"}}).cache, "/hf/hub");
  EXPECT_EQ(options_of({{"XDG_CACHE_HOME", "/x"}, {"HF_HOME", "/hf"}}).token_file, "/hf/token");
  EXPECT_EQ(options_of({{"HF_HOME", "/hf"}, {"HF_HUB_CACHE", "/c"}}).cache, "/c");
  EXPECT_EQ(options_of({{"HOME", "/h"}, {"HF_HOME", "~/hf"}}).cache, "/h/hf/hub");
  EXPECT_EQ(options_of({{"HF_TOKEN_PATH", "/t"}, {"HF_HOME", "/hf"}}).token_file, "/t");
}

TEST(HubOptions, IgnoreARelativeCacheFolderAsXdgSays) {
  EXPECT_EQ(options_of({{"HOME", "/h"}, {"XDG_CACHE_HOME", "x"}}).cache,
            "/h/.cache/huggingface/hub");
  // HF_HOME is Hugging Face's own, which takes any path.
  EXPECT_EQ(options_of({{"HOME", "/h"}, {"HF_HOME", "hf"}}).cache, "hf/hub");
}

TEST(HubOptions, NeedNoHome) {
  EXPECT_EQ(options_of({}).cache, "");
  EXPECT_EQ(options_of({}).token_file, "");
}

TEST(HubOptions, ReadSwitches) {
  for (const char* yes : {"1", "true", "TRUE", "Yes", "on"}) {
    EXPECT_TRUE(options_of({{"HF_HUB_OFFLINE", yes}}).offline) << yes;
  }
  for (const char* no : {"", "0", "false", "no", "2"}) {
    EXPECT_FALSE(options_of({{"HF_HUB_OFFLINE", no}}).offline) << no;
  }
}

TEST(HubOptions, TakeEmptyVariablesAsUnset) {
  const HubOptions options =
      options_of({{"HF_ENDPOINT", ""}, {"HF_HOME", ""}, {"HF_TOKEN", ""}, {"HOME", "/h"}});
  EXPECT_EQ(options.endpoint, "https://huggingface.co");
  EXPECT_EQ(options.cache, "/h/.cache/huggingface/hub");
}

TEST(HubOptions, TakeTheProxyOfTheScheme) {
  const std::map<std::string, std::string> both = {{"http_proxy", "http://plain:1"},
                                                   {"https_proxy", "http://secure:2"},
                                                   {"HTTP_PROXY", "http://evil:3"},
                                                   {"no_proxy", "localhost"}};
  EXPECT_EQ(options_of(both).proxy, "http://secure:2");
  EXPECT_EQ(options_of(both).no_proxy, "localhost");
  auto mirror = both;
  mirror["HF_ENDPOINT"] = "http://mirror//";
  EXPECT_EQ(options_of(mirror).endpoint, "http://mirror");
  EXPECT_EQ(options_of(mirror).proxy, "http://plain:1");
  mirror.erase("http_proxy");
  EXPECT_EQ(options_of(mirror).proxy, "");
}

}  // namespace
}  // namespace wattree
