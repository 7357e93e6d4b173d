#include "src/measure/meter/find.h"

#include <algorithm>

#include "src/measure/meter/cgroup.h"
#include "src/measure/meter/nvml_meters.h"
#include "src/measure/meter/proc.h"

namespace wattree {
namespace {

// The first meter that counts this component already. A platform's counter has everything of the
// host in it.
const Meter* find_counted(const Meters& meters, Component component) {
  const auto found = std::find_if(meters.begin(), meters.end(), [&](const auto& meter) {
    const Description& d = meter->description();
    if (!d.is_counted) return false;
    if (d.component == component) return true;
    const bool is_gpu = component == Component::kGpu || d.component == Component::kGpu;
    return !is_gpu && (d.component == Component::kPlatform || component == Component::kPlatform);
  });
  return found != meters.end() ? found->get() : nullptr;
}

}  // namespace

Found find_meters(const MeterQuery& query) {
  Found out = find_nvml_meters({query.nvml_library, query.visible, query.sys_root});
  append(out, find_rapl_meters({query.sys_root, query.proc_root, query.open_event}));
  for (const Assumption& assumption : query.assumptions) {
    const std::string name(name_of(assumption.component));
    if (const Meter* counted = find_counted(out.meters, assumption.component)) {
      out.obstacles.push_back({"the assumption for " + name,
                               counted->description().name + " counts it already",
                               "leave out <assume> " + name});
      continue;
    }
    out.meters.push_back(make_assumed_meter(assumption));
  }
  append(out, find_host_meters(query.proc_root));
  append(out, find_cgroup_meters(query.proc_root, query.sys_root, "self"));
  return out;
}

}  // namespace wattree
