#include "src/models/hub/repo_name.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

TEST(RepoName, ReadsOrgNameAndRevision) {
  const auto plain = parse_repo_name("google-bert/bert-base-uncased", "main");
  ASSERT_TRUE(plain);
  EXPECT_EQ(plain->org, "google-bert");
  EXPECT_EQ(plain->name, "bert-base-uncased");
  EXPECT_EQ(plain->revision, "main");
  EXPECT_EQ(plain->text(), "google-bert/bert-base-uncased@main");

  const auto with_revision = parse_repo_name("Qwen/Qwen2.5-0.5B_x@refs/pr/12", "main");
  ASSERT_TRUE(with_revision);
  EXPECT_EQ(with_revision->name, "Qwen2.5-0.5B_x");
  EXPECT_EQ(with_revision->revision, "refs/pr/12");
}

class HostileName : public testing::TestWithParam<std::string> {};
TEST_P(HostileName, IsNoName) { EXPECT_FALSE(parse_repo_name(GetParam(), "main")); }

INSTANTIATE_TEST_SUITE_P(
    RepoName, HostileName,
    testing::Values("", "/", "gpt2", "../x", "org/..", "org/.", "./x", "a/b/c", "/a/b", "a//b",
                    "a/", "/b", "a/b/", "a/.b", "a/b.", "-a/b", "a/b-", "a--b/c", "a/b--c",
                    "a..b/c", "a b/c", "a/b c", "a/b%2e", "a/b?x=1", "a/b#x", "a\\b/c", "a/b\n",
                    "~/x", "a:b/c", "http://a/b", "é/b", "a/b@", "a/b@..", "a/b@../../x",
                    "a/b@x/../y", "a/b@/x", "a/b@x/", "a/b@x//y", "a/b@.x", "a/b@x/.y", "a/b@x@y",
                    "a/b@x y", "a/b@x%2f", std::string("a/b\0c", 5), "a/" + std::string(97, 'b'),
                    std::string(97, 'a') + "/b", "a/b@" + std::string(201, 'c'),
                    std::string(1 << 20, 'a') + "/" + std::string(1 << 20, 'b')));

TEST(RepoName, TakesTheLongestNames) {
  EXPECT_TRUE(parse_repo_name(std::string(96, 'a') + "/" + std::string(96, 'b'), "main"));
}

TEST(RepoName, TellsCommitsFromBranches) {
  EXPECT_TRUE(is_commit("86b5e0934494bd15c9632b12f734a8a67f723594"));
  EXPECT_FALSE(is_commit("86b5e09"));
  EXPECT_FALSE(is_commit("main"));
  EXPECT_FALSE(is_commit(std::string(40, 'g')));
}

}  // namespace
}  // namespace wattree
