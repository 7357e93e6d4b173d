#include "src/api/runs/run_parts.h"

#include <algorithm>
#include <unordered_map>

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
  std::unordered_map<std::string_view, std::size_t> known;
  for (const Epoch* window : windows_of(profile)) {
    for (const ComponentEnergy& part : window->energy) {
      const auto [found, is_new] = known.try_emplace(part.component, out.size());
      if (is_new) {
        ComponentSum& fresh = out.emplace_back(ComponentSum{part, true});
        fresh.sum.energy = Joules();
        fresh.sum.idle = Joules();
      }
      ComponentSum& all = out[found->second];
      all.sum.energy = all.sum.energy + part.energy;
      all.has_idle = all.has_idle && part.idle;
      all.sum.idle = *all.sum.idle + part.idle.value_or(Joules());
      all.sum.provenance.basis = std::max(all.sum.provenance.basis, part.provenance.basis);
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
