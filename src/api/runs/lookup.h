// The look-up tables: regions with the carbon of their electricity, and hardware.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "src/api/runs/run_request.h"
#include "src/facts/carbon/region.h"
#include "src/facts/hardware/device.h"

namespace wattree {

struct RegionsRequest {
  std::string words;  // Part of a code, name or source; empty: all.
};
Result<RegionsRequest> regions_request(const nlohmann::json& json);  // {"words"?}
struct RegionsAnswer {
  std::vector<Region> regions;        // At least one.
  std::vector<RegionSource> sources;  // Those that the regions name.
};
Result<RegionsAnswer> regions(const RegionsRequest& request, const Services& services);
// The contract of docs/schemas/regions.schema.json.
std::string to_json(const RegionsAnswer& answer);

struct HardwareRequest {
  std::string words;  // Beginnings of words of a name, alias or maker; empty: all.
  OwnDevices own_devices;
};
Result<HardwareRequest> hardware_request(
    const nlohmann::json& json);  // {"words"?, "hardware_file"?}
struct HardwareAnswer {
  std::vector<Device> devices;  // At least one.
};
Result<HardwareAnswer> hardware(const HardwareRequest& request, const Services& services);
// The contract of docs/schemas/hardware.schema.json.
std::string to_json(const HardwareAnswer& answer);

}  // namespace wattree
