// Profiles as files for others.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/runs/profile/profile.h"

namespace wattree {

struct ExportedProfile {
  std::string text;
  std::vector<std::string> notes;  // What the format cannot say.
};

// `format` is "wattree", "energyvis" or "html"; `region` takes the place of the profile's where it
// is not empty.
Result<ExportedProfile> export_as(Profile profile, std::string_view format,
                                  const std::string& region);

// The contract of docs/schemas/profile.schema.json.
std::string to_json(const Profile& profile);

}  // namespace wattree
