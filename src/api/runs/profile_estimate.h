// A profile of a run that nobody has a file of: hardware, hours and a region.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/runs/profile/profile.h"
#include "src/runs/store/profile_summary.h"

namespace wattree {

struct EstimateProfileRequest {
  struct Card {
    std::string name;  // Of `wattree hardware`.
    int count = 1;
  };
  std::string name, author, source;  // The last two may be empty.
  std::vector<Card> hardware;
  std::string fleet;  // Or all of it as one text: "8xV100,EPYC 7742".
  double hours = 0;
  std::string region;      // Of `wattree regions`; empty: not known.
  std::string pue;         // 1 or more, or "average"; empty: not known.
  double utilisation = 1;  // Of the devices' rated power, on average.
  std::string id;          // Empty: made from the name.
  std::vector<std::string> tags;
  bool is_kept = true;           // Otherwise it is only looked at.
  std::filesystem::path folder;  // Empty: the services'.
};
// {"name", "hardware": [{"name", "count"?}], or a text such as "8xV100,EPYC 7742", "hours",
// "region"?, "pue"?, "utilisation"?, "author"?, "source"?, "id"?, "tags"?, "keep"?}
Result<EstimateProfileRequest> estimate_profile_request(const nlohmann::json& json);

// Rated power × count × utilisation × hours for each device, as assumed.
Result<Profile> estimated_profile(const EstimateProfileRequest& request);

struct EstimateProfileAnswer {
  Profile profile;
  std::optional<ProfileSummary> kept;  // Where it was to be.
};
Result<EstimateProfileAnswer> estimate_profile(const EstimateProfileRequest& request,
                                               const Services& services);
// An entry of the list (docs/schemas/profile_entry.schema.json); of one that is not kept the
// profile itself (docs/schemas/profile.schema.json).
std::string to_json(const EstimateProfileAnswer& answer);

}  // namespace wattree
