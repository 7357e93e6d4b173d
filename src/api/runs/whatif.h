// The what-if use case: a run in another region, on other hardware, or with more epochs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/api/runs/run_request.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {

struct WhatIfRequest {
  RunRef profile;
  WhatIfQuery query;
  OwnDevices own_devices;
};
// {"profile", "region"?, "intensity"?, "intensity_file"?, "pue"?, "hardware"?, "keep"?, "epochs"?,
// "hardware_file"?}, and all but the last three of them with "baseline_" before their names.
Result<WhatIfRequest> what_if_request(const nlohmann::json& json);

Result<WhatIfAnswer> what_if(const WhatIfRequest& request, const Services& services);

// "work" or "hours".
std::optional<Keep> parse_keep(std::string_view name);
std::string_view name_of(Keep keep);

// The contract of docs/schemas/whatif.schema.json.
std::string to_json(const WhatIfAnswer& answer);

}  // namespace wattree
