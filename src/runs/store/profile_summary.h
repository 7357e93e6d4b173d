// What a list shows of a profile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/provenance.h"
#include "src/runs/profile/profile.h"

namespace wattree {

enum class ProfileOrigin {
  kTracked,    // A file in the folder of profiles, where trackers write.
  kImported,   // A file of somebody's.
  kEstimated,  // Hardware, hours and a region that somebody typed in.
  kBundled     // Comes with the program.
};
std::string_view name_of(ProfileOrigin origin);  // "tracked"
std::optional<ProfileOrigin> parse_profile_origin(std::string_view name);

// kUnfinished: fewer epochs than were planned. kUnreadable: a file in the folder, and no profile.
enum class ProfileStatus { kComplete, kUnfinished, kUnreadable };
std::string_view name_of(ProfileStatus status);  // "complete"
std::optional<ProfileStatus> parse_profile_status(std::string_view name);

struct ProfileSummary {
  std::string id;
  std::string name, author, region, location;
  std::string hardware;  // "8 × Tesla P100"
  ProfileStatus status = ProfileStatus::kComplete;
  ProfileOrigin origin = ProfileOrigin::kImported;
  std::string error;  // Of an unreadable file.
  std::vector<std::string> tags;
  std::int64_t epochs = 0;
  std::optional<std::int64_t> planned_epochs;
  std::optional<Seconds> duration;
  std::optional<Joules> energy;   // Of the devices, in the whole run.
  std::optional<Joules> outside;  // Of it, outside the epochs.
  std::optional<Provenance> provenance;
  std::optional<UtcTime> started;
  UtcTime added;
  std::optional<UtcTime> deleted;
  bool operator==(const ProfileSummary&) const = default;
};

// All that the profile itself says: neither its id nor when it was added.
ProfileSummary summary_of(const Profile& profile);

}  // namespace wattree
