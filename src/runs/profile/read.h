// Any file that holds a profile.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/runs/profile/profile.h"

namespace wattree {

enum class ProfileFormat { kWattree, kEnergyVis, kHtmlReport };

struct ReadProfile {
  Profile profile;
  ProfileFormat format = ProfileFormat::kWattree;
};

// Wattree's own JSON, EnergyVis's, or an HTML report with a profile in it: told apart by content.
Result<ReadProfile> read_profile(std::string_view text, const std::string& origin);
Result<ReadProfile> read_profile_file(const std::filesystem::path& path);

// The element that carries a profile in an HTML page; `read_profile` finds it there.
std::string profile_element(const Profile& profile);

// Profiles that come with the program: what papers report, basis published.
struct BundledProfile {
  std::string_view id;
  std::string_view json;
};
std::vector<BundledProfile> bundled_profiles();

}  // namespace wattree
