// The meters use case: what can be measured on this machine, and what stands in the way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/measure/meter/cgroup.h"
#include "src/measure/meter/find.h"

namespace wattree {

struct KnownMeter {
  Description description;
  std::optional<double> now;  // Of a level; a counter's count says nothing by itself.
};

struct MetersAnswer {
  std::vector<KnownMeter> meters;
  std::vector<Obstacle> obstacles;
  std::vector<GpuProcess> processes;
  CgroupLimits limits;  // Of this process's control group.
};

// `assumptions` as the user writes them: "cpu=65W".
Result<MetersAnswer> meters_here(MeterQuery query, const std::vector<std::string>& assumptions);

// The contract of docs/schemas/meters.schema.json.
std::string to_json(const MetersAnswer& answer);

}  // namespace wattree
