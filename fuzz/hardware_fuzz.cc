// Any bytes as a table of hardware, and its names as queries: errors or devices, never a crash.
#include <cstddef>
#include <cstdint>
#include <string>

#include "src/facts/hardware/work_cost.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wattree;
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Result<std::vector<Device>> devices = read_devices(text, "fuzz.csv");
  if (!devices.ok()) {
    (void)parse_fleet(text, bundled_devices());
    return 0;
  }
  std::size_t looked_up = 0;
  for (const Device& device : devices.value()) {
    if (++looked_up > 4) break;  // Each looks at every device.
    const Result<Device> found = find_device(device.name, devices.value());
    if (!found.ok()) __builtin_trap();
    for (const ComputeUnits units :
         {ComputeUnits::kFp32, ComputeUnits::kTf32, ComputeUnits::k16Bit}) {
      const Result<WorkCost> cost = work_cost({{device, 3}}, {units, 590});
      if (cost.ok() && !(cost.value().joules_per_gflop >= 0)) __builtin_trap();
    }
    const Result<WorkCost> cost = work_cost({{device, 3}});
    if (cost.ok() && !(cost.value().joules_per_gflop >= 0)) __builtin_trap();
  }
  return 0;
}
