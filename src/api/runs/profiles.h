// Profiles of runs: those that are kept, one of them, a new one, and one less.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/api/runs/run_request.h"
#include "src/runs/profile/find.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {

struct ProfilesRequest {
  std::filesystem::path folder;  // Empty: the services'; the same below.
};
struct ProfilesAnswer {
  std::vector<KnownProfile> profiles;
};
Result<ProfilesAnswer> profiles(const ProfilesRequest& request, const Services& services);
// The contract of docs/schemas/profiles.schema.json.
std::string to_json(const ProfilesAnswer& answer);

struct ShowProfileRequest {
  RunRef profile;
};
Result<ShowProfileRequest> show_profile_request(const nlohmann::json& json);  // {"profile"}
struct ShowProfileAnswer {
  Profile profile;
  Result<Footprint> footprint;  // An error where the profile has no energy at all.
};
Result<ShowProfileAnswer> show_profile(const ShowProfileRequest& request, const Services& services);
// The contract of docs/schemas/profile.schema.json.
std::string to_json(const ShowProfileAnswer& answer);

struct ImportProfileRequest {
  std::filesystem::path file;  // Or, where it is empty,
  std::string text;            // what such a file has in it.
  std::string id;              // Empty: made from the profile's name.
  std::filesystem::path folder;
};
// {"profile": the profile in any of the formats, as an object or as a text, "id"?}
Result<ImportProfileRequest> import_profile_request(const nlohmann::json& json);
struct ImportProfileAnswer {
  std::string id;
  Profile profile;
  std::filesystem::path folder;
};
Result<ImportProfileAnswer> import_profile(const ImportProfileRequest& request,
                                           const Services& services);

struct DeleteProfileRequest {
  std::string id;
  std::filesystem::path folder;
};
Result<DeleteProfileRequest> delete_profile_request(const nlohmann::json& json);  // {"id"}
Status delete_profile(const DeleteProfileRequest& request, const Services& services);

}  // namespace wattree
