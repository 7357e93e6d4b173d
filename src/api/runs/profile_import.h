// Profiles from files of ours and of others.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/runs/profile/read.h"
#include "src/runs/store/profile_summary.h"

namespace wattree {

struct ImportProfileRequest {
  std::filesystem::path file;  // Or, where it is empty,
  std::string text;            // what such a file has in it.
  std::string id;              // Empty: made from the profile's name.
  std::vector<std::string> tags;
  std::filesystem::path folder;  // Empty: the services'.
};
// {"id"?, "tags"?}; what the file has in it comes beside them.
Result<ImportProfileRequest> import_profile_request(const nlohmann::json& json, std::string text);

struct ImportProfileAnswer {
  std::vector<ProfileSummary> profiles;  // One; of CodeCarbon's files one for each run in them.
  ProfileFormat format = ProfileFormat::kWattree;
  std::vector<std::string> notes;  // What was not understood and is kept as it was written.
};
Result<ImportProfileAnswer> import_profile(const ImportProfileRequest& request,
                                           const Services& services);
// The contract of docs/schemas/imported_profiles.schema.json.
std::string to_json(const ImportProfileAnswer& answer);

}  // namespace wattree
