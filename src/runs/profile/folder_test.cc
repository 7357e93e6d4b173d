#include "src/runs/profile/folder.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

namespace wattree {
namespace {

class Folder : public testing::Test {
 protected:
  void TearDown() override { std::filesystem::remove_all(path_); }
  const std::filesystem::path path_ = std::filesystem::temp_directory_path() /
                                      ("wattree_profile_test_" + std::to_string(::getpid()));
};

TEST_F(Folder, KeepsProfiles) {
  EXPECT_TRUE(list_profiles(path_).value().empty());
  Profile profile;
  profile.name = "My run / one";
  EXPECT_EQ(save_profile(path_, profile).value(), "my-run-one");
  EXPECT_EQ(save_profile(path_, profile).value(), "my-run-one-2");  // Nothing is overwritten.
  EXPECT_EQ(save_profile(path_, profile, "Other").value(), "other");
  const auto listed = list_profiles(path_).value();
  ASSERT_EQ(listed.size(), 3u);
  EXPECT_EQ(listed[1].id, "my-run-one-2");
  EXPECT_EQ(listed[1].profile.value(), profile);
}

TEST_F(Folder, WhereNothingCanBeWrittenIsAnError) {
  std::filesystem::create_directories(path_);
  std::ofstream(path_ / "file") << "x";
  Profile profile;
  profile.name = "run";
  EXPECT_FALSE(save_profile(path_ / "file", profile).ok());
  EXPECT_FALSE(save_profile(path_ / "file/below", profile).ok());
}

TEST_F(Folder, ListsWhatItCannotRead) {
  std::filesystem::create_directories(path_);
  std::ofstream(path_ / "bad.json") << "{";
  std::ofstream(path_ / "note.txt") << "no profile";
  const auto listed = list_profiles(path_).value();
  ASSERT_EQ(listed.size(), 1u);
  EXPECT_FALSE(listed[0].profile.ok());
}

TEST_F(Folder, IdsStayInTheFolder) {
  for (const char* bad : {"", "..", "../x", "a/b", ".hidden", "/etc/passwd"}) {
    EXPECT_FALSE(profile_path(path_, bad).ok()) << bad;
  }
  EXPECT_EQ(profile_id("../../etc/passwd"), "etc-passwd");
  EXPECT_EQ(profile_id("×"), "profile");
  EXPECT_EQ(profile_id("Transformer (big), 8 × P100"), "transformer-big-8-p100");
}

}  // namespace
}  // namespace wattree
