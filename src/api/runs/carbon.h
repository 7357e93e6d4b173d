// The carbon use case: what an energy, or a run's, emits somewhere.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include "src/api/runs/run_request.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {

struct CarbonRequest {
  RunRef run;            // Or an energy: "2.5kWh".
  SettingQuery setting;  // Where the run does not say, or not what is wanted.
  std::optional<std::size_t> epochs;
};
// {"run", "region"?, "intensity"?, "intensity_file"?, "pue"?, "price"?, "epochs"?}
Result<CarbonRequest> carbon_request(const nlohmann::json& json);

struct CarbonAnswer {
  Footprint footprint;     // With emissions.
  bool is_energy = false;  // An energy was asked about, not a run.
};
Result<CarbonAnswer> carbon(const CarbonRequest& request, const Services& services);

// The contract of docs/schemas/footprint.schema.json.
std::string to_json(const CarbonAnswer& answer);

}  // namespace wattree
