// One run, as far as it has come: its epochs, thinned where there are many, and those that took too
// much.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/api/runs/runs.h"
#include "src/runs/whatif/excess.h"

namespace wattree {

struct RunRequest {
  std::string id;
  std::size_t points = 500;  // Of the epochs and of the power trace.
};
Result<RunRequest> run_request(const nlohmann::json& json);  // {"id", "points"?}

struct EpochRow {
  std::size_t number = 1;  // From 1.
  std::string name;
  std::optional<Seconds> begin, duration;
  std::optional<Joules> energy, low, high;  // Of the devices; absent where nothing was measured.
  Joules so_far;                            // Of all epochs up to it.
};

struct RunAnswer {
  ListedRun run;
  std::size_t epochs_in_all = 0;
  std::vector<EpochRow> epochs;  // All, or as many points.
  std::vector<FlaggedEpoch> flags;
  std::optional<Joules> outside;  // Of the devices, before, between and after the epochs.
  std::vector<RunMeter> meters;
  std::vector<StepEnergy> steps;
  std::vector<std::string> notes;
};
Result<RunAnswer> run(const RunRequest& request, const Services& services);
// The contract of docs/schemas/run.schema.json.
std::string to_json(const RunAnswer& answer);

// The profile so far, or the one that was kept.
Result<Profile> run_profile(const std::string& id, const Services& services);
// As it is at this moment: TrackedRun::profile_so_far().
Result<Profile> run_profile_so_far(const std::string& id, const Services& services);
// As docs/schemas/profile.schema.json has it.
Result<std::string> run_profile_json(const std::string& id, const Services& services);

}  // namespace wattree
