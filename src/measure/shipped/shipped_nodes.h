// What measurements that are shipped with the program say of single nodes of models: the table
// data/measured_nodes.csv, which tools/measured_nodes makes from the windows in data/h200*.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "src/base/units.h"
#include "src/models/tree/dtype.h"
#include "src/models/tree/execution.h"

namespace wattree {

// The device that all of them were measured on, as its driver calls it.
inline constexpr std::string_view kShippedDevice = "NVIDIA H200";

// Of one execution: the mean over windows that measured the same.
struct ShippedFigures {
  Joules energy;
  Seconds time;
  // The most of the windows' standard errors and of their distances from the mean.
  double relative_error = 0;
  std::int64_t windows = 0;
  std::int64_t cards = 0;
  // Why they may be wrong, "; " between reasons. Windows without doubts go first: this is empty
  // where there is one.
  std::string_view doubts;
};

// Means over the windows of what was read meanwhile; absent where nobody looked.
struct ShippedResources {
  std::optional<double> cpu_percent;
  std::optional<double> ram_percent;
  std::optional<double> gpu_percent;
  std::optional<double> gpu_memory_percent;
  std::optional<double> sm_clock_mhz;
  std::optional<double> memory_clock_mhz;
};

struct ShippedNode {
  // As within a pass: a whole pass, or a kernel that finds its activations in the cache and its
  // weights in memory.
  std::optional<ShippedFigures> in_place;
  // By itself, with nothing in the cache.
  std::optional<ShippedFigures> alone;
  ShippedResources resources;  // Of the first of these that is there.
};

// What the same work took, at the same precision and launched the same way; `key` is that of
// distinct_nodes(). Null where it was not measured. The table is read when somebody first asks.
const ShippedNode* find_shipped(std::uint64_t key, Precision precision, Execution execution);

}  // namespace wattree
