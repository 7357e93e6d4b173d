// The what-if use case: a run in another region, on other hardware, or with more epochs.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "src/api/runs/predicted_run.h"
#include "src/api/runs/run_request.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {

struct WhatIfRequest {
  RunRef profile;
  WhatIfQuery query;
  OwnDevices own_devices;
  // As the alternative: a profile, whose name may be an energy, or a model's predicted passes.
  std::optional<RunRef> other = {};
  std::optional<PredictedRunRequest> predicted = {};
};
// {"profile", "other"?, "region"?, "intensity"?, "intensity_file"?, "pue"?, "hardware"?, "keep"?,
// "formula"? (precision or energyvis), "precision"?, "epochs"?, "hardware_file"?, "regions"? (true:
// in every one)}, region to hardware with "baseline_" before their names, and what
// read_predicted_run() reads in the place of "other".
Result<WhatIfRequest> what_if_request(const nlohmann::json& json);

Result<WhatIfAnswer> what_if(const WhatIfRequest& request, const Services& services);

// "work" or "hours".
std::optional<Keep> parse_keep(std::string_view name);
std::string_view name_of(Keep keep);

// What an answer's JSON has beside what the command line prints.
struct WhatIfForm {
  std::optional<std::size_t> points;  // Of each curve and its equations; absent: all.
  bool has_equations = false;         // Values of the three equations, epoch by epoch.
  bool has_equivalents = false;
  bool has_over_time = false;  // Each side's energy second by second.
};
// {"points"?, "equations"?, "equivalents"?, "over_time"?} of a request, which has equations and
// equivalents by default.
Result<WhatIfForm> what_if_form(const nlohmann::json& json);

// The contract of docs/schemas/whatif.schema.json.
std::string to_json(const WhatIfAnswer& answer, const WhatIfForm& form = {});

}  // namespace wattree
