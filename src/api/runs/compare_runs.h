// Runs beside each other, as recorded.
#pragma once

#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/api/services/services.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {

struct CompareRunsRequest {
  // Profiles (files, or ids in the services' folder), or energies such as "951kWh". The first is
  // what the others are compared with.
  std::vector<std::string> runs;
  SettingQuery setting;
  std::optional<std::size_t> epochs;  // Each extrapolated to, or cut off after, so many.
  std::optional<double> limit;        // 0.03: 3 % more energy than the first is too much.
};
Result<CompareRunsRequest> compare_runs_request(const nlohmann::json& body);

struct CompareRunsAnswer {
  std::vector<Footprint> footprints;
  // All are cut off after so many epochs, the fewest that one of them has. Absent where all have
  // as many, where a number was asked for, and where one is a single figure.
  std::optional<std::size_t> shared_epochs;
  std::vector<std::string> above_limit;  // Names of the runs that take more than the limit allows.
};
Result<CompareRunsAnswer> compare_runs(const CompareRunsRequest& request, const Services& services);

// The contract of docs/schemas/compare_profiles.schema.json.
std::string to_json(const CompareRunsAnswer& answer);

// Whether what stands first in a comparison is a model. What is neither a model nor a run that is
// known here counts as one.
bool names_a_model(const std::string& name, const Services& services);

}  // namespace wattree
