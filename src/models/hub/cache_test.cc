#include "src/models/hub/cache.h"

#include <gtest/gtest.h>

#include <string>

#include "src/base/test_folder.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kLimit = 1 << 20;
const char* const kCommit = "86b5e0934494bd15c9632b12f734a8a67f723594";
const std::string kRepoFolder = "models--org--name/";
const RepoName kRepo{"org", "name", "main"};

std::string snapshot(const std::string& commit) {
  return kRepoFolder + "snapshots/" + commit + "/config.json";
}

// As huggingface_hub leaves it: the file in a snapshot is a link to a blob.
void write_as_huggingface_hub(const TestFolder& folder, std::string_view config) {
  folder.write(kRepoFolder + "refs/main", kCommit);
  folder.write(kRepoFolder + "blobs/45a2321a", config);
  const fs::path file = folder.path() / snapshot(kCommit);
  fs::create_directories(file.parent_path());
  fs::create_symlink("../../blobs/45a2321a", file);
}

TEST(Cache, ReadsWhatHuggingfaceHubWrote) {
  TestFolder folder;
  write_as_huggingface_hub(folder, R"({"model_type": "bert"})");
  EXPECT_EQ(read_cached(folder.path(), kRepo, kLimit), R"({"model_type": "bert"})");
  EXPECT_EQ(read_cached(folder.path(), {"org", "name", kCommit}, kLimit),
            R"({"model_type": "bert"})");
  EXPECT_FALSE(read_cached(folder.path(), {"org", "name", "v2"}, kLimit));
  EXPECT_FALSE(read_cached(folder.path(), {"org", "other", "main"}, kLimit));
}

TEST(Cache, ReadsWhatItWrote) {
  TestFolder folder;
  write_cached(folder.path(), kRepo, kCommit, R"({"a": 1})");
  EXPECT_EQ(folder.read(kRepoFolder + "refs/main"), kCommit);
  EXPECT_EQ(folder.read(snapshot(kCommit)), R"({"a": 1})");
  EXPECT_EQ(read_cached(folder.path(), kRepo, kLimit), R"({"a": 1})");

  const RepoName branch{"org", "name", "refs/pr/1"};
  write_cached(folder.path(), branch, std::string(40, 'b'), R"({"b": 1})");
  EXPECT_EQ(folder.read(kRepoFolder + "refs/refs/pr/1"), std::string(40, 'b'));
  EXPECT_EQ(read_cached(folder.path(), branch, kLimit), R"({"b": 1})");
}

TEST(Cache, FollowsABranchThatMoved) {
  TestFolder folder;
  write_cached(folder.path(), kRepo, kCommit, R"({"a": 1})");
  write_cached(folder.path(), kRepo, std::string(40, 'b'), R"({"a": 2})");
  EXPECT_EQ(read_cached(folder.path(), kRepo, kLimit), R"({"a": 2})");
  EXPECT_EQ(read_cached(folder.path(), {"org", "name", kCommit}, kLimit), R"({"a": 1})");
}

TEST(Cache, LeavesNoTemporaryFiles) {
  TestFolder folder;
  write_cached(folder.path(), kRepo, kCommit, R"({"a": 1})");
  int files = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder.path())) {
    files += entry.is_regular_file() ? 1 : 0;
  }
  EXPECT_EQ(files, 2);
}

TEST(Cache, KeepsTheLinkOfHuggingfaceHub) {
  TestFolder folder;
  write_as_huggingface_hub(folder, R"({"a": 1})");
  write_cached(folder.path(), kRepo, kCommit, R"({"a": 1})");
  EXPECT_TRUE(fs::is_symlink(folder.path() / snapshot(kCommit)));
}

TEST(Cache, WritesNoRefWithoutACommit) {
  TestFolder folder;
  write_cached(folder.path(), kRepo, "", R"({"a": 1})");
  EXPECT_FALSE(fs::exists(folder.path() / kRepoFolder / "refs"));
  EXPECT_EQ(read_cached(folder.path(), kRepo, kLimit), R"({"a": 1})");
}

TEST(Cache, TakesTheCommitFromNobodyElse) {
  TestFolder folder;
  write_cached(folder.path() / "cache", kRepo, "../../../../escaped", R"({"a": 1})");
  EXPECT_FALSE(fs::exists(folder.path() / "escaped"));
  EXPECT_EQ(read_cached(folder.path() / "cache", kRepo, kLimit), R"({"a": 1})");
}

TEST(Cache, FollowsNoRefOutOfTheFolder) {
  TestFolder folder;
  folder.write("secret/config.json", R"({"secret": 1})");
  folder.write("cache/models--org--name/refs/main", "../../../secret");
  fs::create_directories(folder.path() / "cache/models--org--name/snapshots");
  EXPECT_FALSE(read_cached(folder.path() / "cache", kRepo, kLimit));
}

TEST(Cache, OverlooksDamage) {
  TestFolder folder;
  folder.write(kRepoFolder + "refs/main", std::string(kCommit) + "\n");
  EXPECT_FALSE(read_cached(folder.path(), kRepo, kLimit));
  folder.write(snapshot(kCommit), R"({"a": )");
  EXPECT_FALSE(read_cached(folder.path(), kRepo, kLimit));
  folder.write(snapshot(kCommit), "");
  EXPECT_FALSE(read_cached(folder.path(), kRepo, kLimit));
  folder.write(snapshot(kCommit), R"({"a": 1})");
  EXPECT_TRUE(read_cached(folder.path(), kRepo, kLimit));
  EXPECT_FALSE(read_cached(folder.path(), kRepo, 4));
  folder.write(kRepoFolder + "refs/main", std::string(5000, 'a'));
  EXPECT_FALSE(read_cached(folder.path(), kRepo, kLimit));
}

TEST(Cache, MayBeUnwritable) {
  TestFolder folder;
  // A file where the folder should be: that stops root, too.
  const fs::path file = folder.write("cache", "not a folder");
  write_cached(file, kRepo, kCommit, R"({"a": 1})");
  EXPECT_FALSE(read_cached(file, kRepo, kLimit));
  EXPECT_EQ(folder.read("cache"), "not a folder");
}

TEST(Cache, MayBeNone) {
  write_cached("", kRepo, kCommit, R"({"a": 1})");
  EXPECT_FALSE(read_cached("", kRepo, kLimit));
  EXPECT_FALSE(fs::exists("models--org--name"));
}

}  // namespace
}  // namespace wattree
