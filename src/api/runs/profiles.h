// One profile that is kept: shown, named, tagged, deleted and brought back.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/api/runs/profile_list.h"
#include "src/api/runs/run_request.h"
#include "src/runs/store/profile_store.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {

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

struct ChangeProfileRequest {
  std::string id;
  ProfileChange change;
  std::filesystem::path folder;  // Empty: the services'; the same below.
};
// {"id", "name"?, "tags"?}: at least one of the last two.
Result<ChangeProfileRequest> change_profile_request(const nlohmann::json& json);
Result<ProfileSummary> change_profile(const ChangeProfileRequest& request,
                                      const Services& services);
// The contract of docs/schemas/profile_entry.schema.json: an entry of the list.
std::string to_json(const ProfileSummary& profile);

struct DeleteProfileRequest {
  std::string id;
  std::filesystem::path folder;
};
Result<DeleteProfileRequest> delete_profile_request(const nlohmann::json& json);  // {"id"}
struct DeletedProfile {
  std::string id;
  UtcTime restorable_until;
};
Result<DeletedProfile> delete_profile(const DeleteProfileRequest& request,
                                      const Services& services);
// The contract of docs/schemas/deleted_profile.schema.json.
std::string to_json(const DeletedProfile& profile);
Result<ProfileSummary> undelete_profile(const DeleteProfileRequest& request,
                                        const Services& services);

}  // namespace wattree
