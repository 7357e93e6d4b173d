// The look-up tables as JSON.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "src/facts/carbon/region.h"
#include "src/facts/hardware/device.h"

namespace wattree {

// The contract of docs/schemas/regions.schema.json: the regions and the sources they name.
std::string to_json(const std::vector<Region>& regions);
// The contract of docs/schemas/hardware.schema.json.
std::string to_json(const std::vector<Device>& devices);

}  // namespace wattree
