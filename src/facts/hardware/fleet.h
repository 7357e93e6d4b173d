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

// What a fleet needs for a piece of work that its cards share equally. With p and s a card's power
// and speed, n cards, each counted once: a card does 1/n of the work, which takes it 1/(n s) and
// p/(n s) of energy. So
//   energy per work = mean of p/s, the inverse of the harmonic mean of the efficiencies s/p,
//   time per work   = 1/(n min s): the slowest card is awaited.
struct WorkCost {
  double joules_per_gflop = 0;
  double seconds_per_gflop = 0;
};
// Power is the TDP, speed the FP32 rate. An error names the device that has no such figure.
Result<WorkCost> work_cost(const Fleet& fleet);

}  // namespace wattree
