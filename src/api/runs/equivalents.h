// What emissions and energy are compared with, and how many of each an amount is.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/base/units.h"
#include "src/facts/carbon/equivalents.h"

namespace wattree {

struct EquivalentsRequest {
  std::optional<GramsCo2e> carbon;
  std::optional<Joules> energy;
};
Result<EquivalentsRequest> equivalents_request(
    const nlohmann::json& json);  // {"carbon_gco2e"?, "energy_j"?}

struct EquivalentsAnswer {
  EquivalentsRequest of;
  std::vector<Equivalent> equivalents;
};
EquivalentsAnswer equivalents(const EquivalentsRequest& request);

// The contract of docs/schemas/equivalents.schema.json.
std::string to_json(const EquivalentsAnswer& answer);

}  // namespace wattree
