// The meters use case: what can be measured on this machine, and what stands in the way.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/measure/meter/cgroup.h"
#include "src/measure/meter/find.h"

namespace wattree {

struct MetersRequest {
  std::vector<std::string> assume;  // As the user writes them: "cpu=65W".
};

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

Result<MetersAnswer> meters(const MetersRequest& request, const Services& services);

// The contract of docs/schemas/meters.schema.json.
std::string to_json(const MetersAnswer& answer);

// The services' meters and what is declared.
Result<MeterQuery> with_assumptions(MeterQuery query, const std::vector<std::string>& assume);

}  // namespace wattree
