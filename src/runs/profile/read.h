// Any file that holds profiles.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/runs/profile/profile.h"

namespace wattree {

enum class ProfileFormat { kWattree, kEnergyVis, kHtmlReport, kCodeCarbon };
std::string_view name_of(ProfileFormat format);  // "codecarbon"

struct ReadProfiles {
  std::vector<Profile> profiles;  // At least one; of CodeCarbon's files one for each run.
  ProfileFormat format = ProfileFormat::kWattree;
  std::vector<std::string> notes;  // What was not understood and is kept as it was written.
};

// Wattree's own JSON, EnergyVis's, an HTML report with a profile in it, or CodeCarbon's
// emissions.csv: told apart by content.
Result<ReadProfiles> read_profiles(std::string_view text, const std::string& origin);
// `origin` names the file in errors; empty: its path.
Result<ReadProfiles> read_profiles_file(const std::filesystem::path& path,
                                        const std::string& origin = "");

// The same where there must be one profile alone.
struct ReadProfile {
  Profile profile;
  ProfileFormat format = ProfileFormat::kWattree;
};
Result<ReadProfile> read_profile(std::string_view text, const std::string& origin);
Result<ReadProfile> read_profile_file(const std::filesystem::path& path,
                                      const std::string& origin = "");

// The element that carries a profile in an HTML page; `read_profile` finds it there.
std::string profile_element(const Profile& profile);

// Profiles that come with the program: what papers report, basis published.
struct BundledProfile {
  std::string_view id;
  std::string_view json;
};
std::vector<BundledProfile> bundled_profiles();

}  // namespace wattree
