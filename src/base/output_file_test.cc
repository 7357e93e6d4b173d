#include "src/base/output_file.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <set>

#include "src/base/file.h"
#include "src/base/test_folder.h"

namespace wattree {
namespace {

std::size_t files_in(const TestFolder& folder) {
  return static_cast<std::size_t>(
      std::distance(std::filesystem::directory_iterator(folder.path()), {}));
}

TEST(OutputFile, IsThereWholeOrNotAtAll) {
  const TestFolder folder;
  const std::filesystem::path path = folder.write("f", "old");
  {
    OutputFile file(path);
    file.write("ne");
    file.write("w");
    EXPECT_EQ(folder.read("f"), "old");
    EXPECT_TRUE(file.finish().ok());
    EXPECT_EQ(folder.read("f"), "new");
  }
  {
    OutputFile file(path);
    file.write("never");
  }
  EXPECT_EQ(folder.read("f"), "new");
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(OutputFile, WritesThroughLinks) {
  const TestFolder folder;
  folder.write("target", "old");
  std::filesystem::create_symlink("target", folder.path() / "link");
  OutputFile file(folder.path() / "link");
  file.write("new");
  EXPECT_TRUE(file.finish().ok());
  EXPECT_EQ(folder.read("target"), "new");
  EXPECT_TRUE(std::filesystem::is_symlink(folder.path() / "link"));
}

TEST(OutputFile, IsItsOwnersAloneWhereItMustBe) {
  const TestFolder folder;
  const mode_t before = ::umask(022);
  const auto mode_of = [](const std::filesystem::path& path) {
    struct stat found {};
    return ::lstat(path.c_str(), &found) == 0 ? found.st_mode & 0777U : 0U;
  };
  EXPECT_TRUE(write_file(folder.path() / "shared", "x").ok());
  EXPECT_EQ(mode_of(folder.path() / "shared"), 0644U);
  const FileKeeping keeping{.is_private = true, .is_synced = true};
  EXPECT_TRUE(write_file(folder.path() / "own", "x", keeping).ok());
  EXPECT_EQ(mode_of(folder.path() / "own"), 0600U);
  EXPECT_TRUE(write_file(folder.path() / "shared", "y", keeping).ok());
  EXPECT_EQ(mode_of(folder.path() / "shared"), 0600U) << "also where it was there before";
  EXPECT_EQ(folder.read("shared"), "y");
  EXPECT_TRUE(make_private_folder(folder.path() / "a" / "b"));
  EXPECT_EQ(mode_of(folder.path() / "a"), 0700U);
  EXPECT_EQ(mode_of(folder.path() / "a" / "b"), 0700U);
  EXPECT_FALSE(make_private_folder(folder.path() / "own" / "b"));
  ::umask(before);
}

TEST(OutputFile, HasATemporaryNameThatNobodyKnows) {
  const TestFolder folder;
  std::set<std::string> names;
  for (int i = 0; i < 20; ++i) {
    OutputFile file(folder.path() / "f");
    for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
      names.insert(entry.path().filename().string());
    }
  }
  EXPECT_EQ(names.size(), 20U);
  for (const std::string& name : names) {
    EXPECT_EQ(name.find(std::to_string(::getpid())), std::string::npos) << name;
  }
}

TEST(OutputFile, SaysWhatFailed) {
  const TestFolder folder;
  OutputFile missing(folder.path() / "no" / "f");
  missing.write("x");
  ASSERT_FALSE(missing.finish().ok());
  EXPECT_EQ(missing.failure().error().code, ErrorCode::kNotFound);
  EXPECT_TRUE(missing.failure().error().message.starts_with("cannot create "))
      << missing.failure().error().message;
  OutputFile is_folder(folder.path());
  EXPECT_FALSE(is_folder.finish().ok());
  if (std::filesystem::exists("/dev/full")) {
    OutputFile full("/dev/full");
    full.write("x");
    ASSERT_FALSE(full.finish().ok());
    EXPECT_EQ(full.failure().error().message, "cannot write /dev/full: No space left on device");
  }
}

}  // namespace
}  // namespace wattree
