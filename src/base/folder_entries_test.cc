#include "src/base/folder_entries.h"

#include <dirent.h>
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cerrno>

#include "src/base/test_folder.h"
#include "tests/support/not_root.h"

namespace {

// Calls of readdir() that succeed before the disk fails; negative: it never does.
int& good_reads() {
  static int count = -1;
  return count;
}

}  // namespace

// In place of the C library's, which the standard library calls.
extern "C" dirent* readdir(DIR* folder) {
  if (good_reads() == 0) {
    errno = EIO;
    return nullptr;
  }
  if (good_reads() > 0) --good_reads();
  static const auto real = reinterpret_cast<dirent* (*)(DIR*)>(::dlsym(RTLD_NEXT, "readdir"));
  return real(folder);
}

namespace wattree {
namespace {

TEST(FolderEntries, AreSortedPaths) {
  const TestFolder folder;
  for (const char* name : {"b", "c", "a"}) folder.write(name, "");
  const std::vector<std::filesystem::path> wanted{folder.path() / "a", folder.path() / "b",
                                                  folder.path() / "c"};
  EXPECT_EQ(folder_entries(folder.path()).value(), wanted);
}

TEST(FolderEntries, OfADiskThatFailsMidwayAreAnError) {
  const TestFolder folder;
  for (const char* name : {"a", "b", "c", "d", "e"}) folder.write(name, "");
  good_reads() = 4;  // With "." and "..".
  const auto entries = folder_entries(folder.path());
  good_reads() = -1;
  ASSERT_FALSE(entries.ok());
  EXPECT_EQ(entries.error().code, ErrorCode::kUnavailable);
  EXPECT_EQ(entries.error().message,
            "cannot read the folder " + folder.path().string() + ": Input/output error");
}

TEST(FolderEntries, OfNoFolderAreAnErrorThatNamesIt) {
  const TestFolder folder;
  const std::filesystem::path file = folder.write("file", "");
  EXPECT_EQ(folder_entries(folder.path() / "none").error().code, ErrorCode::kNotFound);
  EXPECT_NE(folder_entries(file).error().message.find(file.string()), std::string::npos);
  std::filesystem::permissions(folder.path(), std::filesystem::perms::none);
  {
    const NotRoot somebody;
    EXPECT_EQ(folder_entries(folder.path()).error().code, ErrorCode::kPermission);
  }
  std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
}

}  // namespace
}  // namespace wattree
