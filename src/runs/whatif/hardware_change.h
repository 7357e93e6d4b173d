// How much more or less the same work takes on other hardware, by data sheets.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/facts/hardware/fleet.h"
#include "src/facts/hardware/work_cost.h"

namespace wattree {

// What stays the same when hardware changes.
enum class Keep {
  kWork,   // The run does what it did: its duration changes, and its energy with the efficiency.
  kHours,  // The run lasts as long: it does more or less, and its energy changes with the power.
};

enum class HardwareFormula {
  // Peak rate of the precision that the run computes in, and memory bandwidth.
  kPrecision,
  // EnergyVis's (Shaikh et al. 2021, section 2.1.1): r = (p_a/s_a)/(p/s), power p and FP32 rate s.
  kEnergyVis,
};
std::string_view name_of(HardwareFormula formula);  // "precision", "energyvis"
std::optional<HardwareFormula> parse_hardware_formula(std::string_view name);

// How a ratio is to be taken.
struct RatioRule {
  HardwareFormula formula = HardwareFormula::kPrecision;
  // Of the run; absent: nobody says.
  std::optional<ComputeUnits> units = std::nullopt;
};

// A figure that may lie anywhere between two others.
struct UncertainRatio {
  double value = 1;
  std::optional<double> low, high;
};

// One kind of hardware that took the place of another.
struct HardwareChange {
  Fleet from, to;
  UncertainRatio energy_per_work;  // Energy for the same work.
  UncertainRatio time_per_work;
  HardwareFormula formula = HardwareFormula::kPrecision;
  ComputeUnits units = ComputeUnits::kFp32;  // Which peak rates were taken.
  std::string by;                            // "TDP × time by 16-bit peaks and memory bandwidth"
  std::vector<std::string> notes;
  // What the energy of the replaced devices is multiplied with. For the same hours that is the
  // ratio of the powers, and no speed is in it.
  UncertainRatio energy_factor(Keep keep) const;
};

// By kPrecision a card's time is that of the operations and of the bytes of a pass of Llama-3-8B
// (4 x 2048 in bf16, 590 operations a byte). The interval spans work between 60 operations a byte
// and none that waits for memory, and a factor of two either way for what cards reach of their
// peaks and draw of their TDP. CPUs, and devices that lack a figure for the rule, are compared by
// their FP32 peaks; a note says so.
Result<HardwareChange> hardware_change(Fleet from, Fleet to, const RatioRule& rule);

}  // namespace wattree
