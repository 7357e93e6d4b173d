// The list of profiles: filtered, sorted, a page at a time.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/runs/store/profile_query.h"

namespace wattree {

class JsonWriter;

struct ProfilesRequest {
  ProfileQuery query;
  std::filesystem::path folder;  // Empty: the services'.
};
// {"q"?, "tag"? (a text or several), "region"?, "hardware"?, "status"?, "from"?, "to"?, "sort"?
// ("-energy": the most first), "limit"?, "cursor"?, "deleted"?}
Result<ProfilesRequest> profiles_request(const nlohmann::json& json);

// The same from texts, for shells that have flags: "2026-05-01" or with a time of day, in UTC.
Result<UtcTime> parse_day_or_time(const std::string& text, const std::string& field);
Status read_sort(const std::string& text, ProfileQuery& query);

using ProfilesAnswer = ProfilePage;
Result<ProfilesAnswer> profiles(const ProfilesRequest& request, const Services& services);
// The contract of docs/schemas/profiles.schema.json.
std::string to_json(const ProfilesAnswer& answer);

// An entry of that list.
void write_json(JsonWriter& out, const ProfileSummary& profile);

}  // namespace wattree
