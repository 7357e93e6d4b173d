#include "src/api/runs/run_parts.h"

#include <algorithm>

#include "src/base/json_writer.h"

namespace wattree {
namespace {

std::optional<Device> known_device(const std::string& name,
                                   const std::vector<HardwareChange>& changes) {
  for (const HardwareChange& change : changes) {
    for (const Fleet* fleet : {&change.from, &change.to}) {
      const auto found = std::find_if(fleet->begin(), fleet->end(), [&](const DeviceCount& entry) {
        return entry.device.name == name;
      });
      if (found != fleet->end()) return found->device;
    }
  }
  Result<Device> device = find_device(name, bundled_devices());
  if (!device.ok()) return std::nullopt;
  return std::move(device).value();
}

// One component in all windows of a run.
struct ComponentSum {
  ComponentEnergy sum;
  bool has_idle = true;  // Every window says what idling would have taken.
};

std::vector<ComponentSum> component_sums(const Profile& profile) {
  std::vector<ComponentSum> out;
  for (const Epoch* window : windows_of(profile)) {
    for (const ComponentEnergy& part : window->energy) {
      auto found = std::find_if(out.begin(), out.end(), [&](const ComponentSum& known) {
        return known.sum.component == part.component;
      });
      if (found == out.end()) {
        ComponentSum fresh{part, true};
        fresh.sum.energy = Joules();
        fresh.sum.idle = Joules();
        found = out.insert(out.end(), std::move(fresh));
      }
      found->sum.energy = found->sum.energy + part.energy;
      found->has_idle = found->has_idle && part.idle;
      found->sum.idle = *found->sum.idle + part.idle.value_or(Joules());
      found->sum.provenance.basis = std::max(found->sum.provenance.basis, part.provenance.basis);
    }
  }
  return out;
}

}  // namespace

void write_devices(JsonWriter& out, const Profile& profile,
                   const std::vector<HardwareChange>& changes) {
  out.key("devices");
  out.begin_array();
  for (const HardwareEntry& entry : profile.hardware) {
    const std::optional<Device> device = known_device(entry.name, changes);
    out.begin_object();
    out.field("kind", name_of(entry.kind));
    out.field("name", device ? device->name : entry.name);
    out.field("count", std::int64_t{entry.count});
    if (device && device->tdp) out.field("tdp_w", device->tdp->value);
    if (device && device->fp32_gflops) out.field("fp32_gflops", *device->fp32_gflops);
    if (device) out.field("basis", name_of(device->basis));
    out.end_object();
  }
  out.end_array();
}

void write_components(JsonWriter& out, const Profile& profile) {
  out.key("components");
  out.begin_array();
  for (const ComponentSum& part : component_sums(profile)) {
    out.begin_object();
    out.field("component", part.sum.component);
    out.field("kind", name_of(part.sum.kind));
    out.field("device_energy_j", part.sum.energy.value);
    if (part.has_idle) out.field("idle_j", part.sum.idle->value);
    out.key("basis");
    write_json(out, part.sum.provenance);
    out.end_object();
  }
  out.end_array();
}

}  // namespace wattree
