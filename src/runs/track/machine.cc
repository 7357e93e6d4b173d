#include "src/runs/track/machine.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "src/measure/meter/small_file.h"

namespace wattree {
namespace {

void add_hardware(std::vector<HardwareEntry>& hardware, DeviceKind kind, const std::string& name,
                  int count) {
  for (HardwareEntry& entry : hardware) {
    if (entry.kind != kind || entry.name != name) continue;
    entry.count += count;
    return;
  }
  hardware.push_back({kind, name, count});
}

}  // namespace

std::vector<HardwareEntry> find_hardware(const Meters& meters,
                                         const std::filesystem::path& proc_root) {
  std::vector<HardwareEntry> out;
  std::set<std::string> devices;
  for (const auto& meter : meters) {
    const Description& d = meter->description();
    if (d.component != Component::kGpu || d.basis != Basis::kMeasured) continue;
    if (!devices.insert(d.device).second) continue;
    // "NVIDIA H200 GPU-1b2c…": the name, and then the one of its kind.
    add_hardware(out, DeviceKind::kGpu, d.device.substr(0, d.device.rfind(' ')), 1);
  }
  const std::string text = read_small(proc_root / "cpuinfo");
  std::string_view rest(text), line;
  std::string model;
  std::set<std::string, std::less<>> packages;
  while (take_line(rest, line)) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon + 2 > line.size()) continue;
    const std::string_view value = line.substr(colon + 2);
    if (line.starts_with("model name") && model.empty()) model = value;
    if (line.starts_with("physical id")) packages.emplace(value);
  }
  if (!model.empty()) {
    add_hardware(out, DeviceKind::kCpu, model,
                 static_cast<int>(std::max<std::size_t>(1, packages.size())));
  }
  return out;
}

}  // namespace wattree
