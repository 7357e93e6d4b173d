#include "src/base/output_file.h"

#include <gtest/gtest.h>

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
