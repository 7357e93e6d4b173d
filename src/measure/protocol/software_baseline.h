// Energy as software estimates it that has no meter for the node: what each component took, times
// the process's share of its use, times PUE (Henderson et al. 2020; IrEne's Table 5, first row).
// Written down beside what was measured, to compare with.
#pragma once

#include <optional>
#include <string>

#include "src/measure/protocol/protocol.h"

namespace wattree {

// Of a year's worldwide average data centre, as Strubell et al. (2019) took it.
inline constexpr double kStrubellPue = 1.58;

struct SoftwareEstimate {
  Joules energy;       // Of one run.
  std::string covers;  // "gpu", "cpu+dram+gpu": components whose power is known.
};
// Nothing where no component's power is known. A GPU with no other process on it is all ours.
std::optional<SoftwareEstimate> software_estimate(const Measurement& measurement,
                                                  bool is_gpu_shared, double pue = kStrubellPue);

}  // namespace wattree
