// Which profiles a list shows, in which order, and how many of them at a time.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/runs/store/profile_summary.h"

namespace wattree {

enum class ProfileSort { kId, kName, kEnergy, kDuration, kEpochs, kStarted, kAdded };
std::string_view name_of(ProfileSort sort);  // "energy"
std::optional<ProfileSort> parse_profile_sort(std::string_view name);

struct ProfileQuery {
  // Words that must all stand in its id, name, author, hardware, region or tags, whatever the case.
  std::string words;
  std::vector<std::string> tags;  // All of them.
  std::string region;             // A code, or a location as its author wrote it.
  std::string hardware;           // Part of a name.
  std::optional<ProfileStatus> status;
  // When the run began or, where the profile does not say, when it was added: from <= t < to.
  std::optional<UtcTime> from, to;
  bool is_deleted = false;  // Those that were deleted instead.
  // What is equal or unknown is in the order of the ids; bundled profiles are always last.
  ProfileSort sort = ProfileSort::kId;
  bool is_descending = false;
  std::int64_t limit = 1'000'000;
  std::string cursor;  // The `next` of the page before; empty: the first page.
};

struct ProfilePage {
  std::vector<ProfileSummary> profiles;
  std::int64_t total = 0;  // On all pages.
  std::string next;        // Empty: this is the last page.
};

}  // namespace wattree
