// Several devices that share one piece of work.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "src/facts/hardware/device.h"

namespace wattree {

// So many pieces of one device.
struct DeviceCount {
  Device device;
  int count = 1;
};
using Fleet = std::vector<DeviceCount>;

// "4xT4", "4 x T4", "4×T4" or "T4", several separated by commas. Names resolve by find_device.
Result<Fleet> parse_fleet(std::string_view text, std::span<const Device> devices);

// "4 × T4, 1 × Intel Core i7-2600K"
std::string to_string(const Fleet& fleet);

}  // namespace wattree
