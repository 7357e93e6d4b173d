// What a fleet needs for a piece of work, by the peak figures of data sheets.
#pragma once

#include <optional>
#include <string_view>

#include "src/facts/hardware/fleet.h"

namespace wattree {

// The units that a program's products run on.
enum class ComputeUnits { kFp32, kTf32, k16Bit };
std::string_view name_of(ComputeUnits units);  // "fp32", "tf32", "16-bit"
// Of a precision as people name it: "bf16" and "fp16" are 16-bit.
std::optional<ComputeUnits> parse_compute_units(std::string_view name);

// The peak rate on those units, dense. A device that is known to have no 16-bit units computes
// there as in fp32; one of which nobody says so has no rate.
std::optional<double> peak_gflops(const Device& device, ComputeUnits units);

// So many operations for each byte that is read or written; absent: bytes do not count.
struct Workload {
  ComputeUnits units = ComputeUnits::kFp32;
  std::optional<double> flops_per_byte = std::nullopt;
};

// A card takes as long as its operations at the peak rate and then its bytes at the peak bandwidth,
// since a kernel waits mostly for one of them; all that time it draws its TDP. The cards of a fleet
// share the work equally. With t the time of one card for all of it, p its power and n cards,
//   energy per work = mean of p t,
//   time per work   = (max t)/n: the slowest card is awaited.
struct WorkCost {
  double joules_per_gflop = 0;
  double seconds_per_gflop = 0;
};
// An error names the device that lacks a figure.
Result<WorkCost> work_cost(const Fleet& fleet, const Workload& workload = {});

}  // namespace wattree
