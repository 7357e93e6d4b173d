#include "src/runs/whatif/hardware_change.h"

#include <algorithm>

namespace wattree {
namespace {

// What a pass of Llama-3-8B over 4 x 2048 tokens does for each byte in 16 bits (wattree tree), and
// the least that work on tensor cores is taken to do.
constexpr double kFlopsPerByte = 590;
constexpr double kFewestFlopsPerByte = 60;
// How far what cards reach of their peaks may differ. Of 59 pairs that others measured (passes in
// 16 bits and steps and passes in fp32, on A10, A100, H100, L4 and MI210) all lie inside.
constexpr double kReach = 2;

bool is_cpu(const Fleet& fleet) { return fleet.front().device.kind == DeviceKind::kCpu; }

// A value of 32 bits is twice as many bytes.
double on_units(double flops_per_16_bit_byte, ComputeUnits units) {
  return units == ComputeUnits::k16Bit ? flops_per_16_bit_byte : flops_per_16_bit_byte / 2;
}

struct Ratios {
  double energy = 1;
  double time = 1;
};
Result<Ratios> ratios(const Fleet& from, const Fleet& to, const Workload& workload) {
  const Result<WorkCost> before = work_cost(from, workload);
  if (!before.ok()) return before.error();
  const Result<WorkCost> after = work_cost(to, workload);
  if (!after.ok()) return after.error();
  return Ratios{after.value().joules_per_gflop / before.value().joules_per_gflop,
                after.value().seconds_per_gflop / before.value().seconds_per_gflop};
}

// All of one device: then only their number differs, and no figure of a data sheet matters.
bool is_of_one_device(const Fleet& from, const Fleet& to) {
  const std::string& name = from.front().device.name;
  const auto is_that = [&](const DeviceCount& entry) { return entry.device.name == name; };
  return std::all_of(from.begin(), from.end(), is_that) &&
         std::all_of(to.begin(), to.end(), is_that);
}

double pieces_of(const Fleet& fleet) {
  double pieces = 0;
  for (const DeviceCount& entry : fleet) pieces += entry.count;
  return pieces;
}

// A workload for which every device has its figures, as near to `wanted` as can be, and why not it.
Workload known_workload(const Fleet& from, const Fleet& to, Workload wanted,
                        std::vector<std::string>& notes) {
  const Result<Ratios> found = ratios(from, to, wanted);
  if (found.ok()) return wanted;
  const std::string why = found.error().message;
  const Workload without_bytes{wanted.units, std::nullopt};
  if (ratios(from, to, without_bytes).ok()) {
    notes.push_back(why + ": only the peak rates are compared");
    return without_bytes;
  }
  notes.push_back(why + ": the FP32 peaks stand in, on both sides");
  return {};
}

void add_interval(const Fleet& from, const Fleet& to, const Workload& workload,
                  HardwareChange& change) {
  std::vector<Workload> others;
  if (workload.flops_per_byte) {
    others.push_back({workload.units, on_units(kFewestFlopsPerByte, workload.units)});
    others.push_back({workload.units, std::nullopt});
  }
  Ratios low{change.energy_per_work.value, change.time_per_work.value};
  Ratios high = low;
  for (const Workload& other : others) {
    const Result<Ratios> found = ratios(from, to, other);
    if (!found.ok()) continue;
    low = {std::min(low.energy, found.value().energy), std::min(low.time, found.value().time)};
    high = {std::max(high.energy, found.value().energy), std::max(high.time, found.value().time)};
  }
  change.energy_per_work.low = low.energy / kReach;
  change.energy_per_work.high = high.energy * kReach;
  change.time_per_work.low = low.time / kReach;
  change.time_per_work.high = high.time * kReach;
}

std::string text_of(const Workload& workload) {
  if (workload.units == ComputeUnits::kFp32 && !workload.flops_per_byte) return "TDP/FP32";
  return "TDP × time by " + std::string(name_of(workload.units)) + " peaks" +
         (workload.flops_per_byte ? " and memory bandwidth" : "");
}

// Where nobody says: a run on cards without 16-bit units had none to compute on.
ComputeUnits assumed_units(const Fleet& from, std::vector<std::string>& notes) {
  const bool has_none = std::all_of(from.begin(), from.end(), [](const DeviceCount& entry) {
    return !entry.device.tensor_or_fp16_gflops && peak_gflops(entry.device, ComputeUnits::k16Bit);
  });
  const ComputeUnits assumed = has_none ? ComputeUnits::kFp32 : ComputeUnits::k16Bit;
  notes.push_back(has_none ? "the profile does not say what the run computes in: fp32 is assumed, "
                             "because its hardware has no 16-bit units"
                           : "the profile does not say what the run computes in: 16 bits on "
                             "tensor cores are assumed");
  return assumed;
}

}  // namespace

std::string_view name_of(HardwareFormula formula) {
  return formula == HardwareFormula::kEnergyVis ? "energyvis" : "precision";
}

std::optional<HardwareFormula> parse_hardware_formula(std::string_view name) {
  if (name == "precision") return HardwareFormula::kPrecision;
  if (name == "energyvis") return HardwareFormula::kEnergyVis;
  return std::nullopt;
}

UncertainRatio HardwareChange::energy_factor(Keep keep) const {
  if (keep == Keep::kWork) return energy_per_work;
  return {energy_per_work.value / time_per_work.value, std::nullopt, std::nullopt};
}

Result<HardwareChange> hardware_change(Fleet from, Fleet to, const RatioRule& rule) {
  HardwareChange out;
  out.formula = rule.formula;
  Workload workload;
  const bool is_by_precision = rule.formula == HardwareFormula::kPrecision;
  const bool only_number_differs = is_by_precision && is_of_one_device(from, to);
  if (is_by_precision && !is_cpu(from) && !is_cpu(to) && !only_number_differs) {
    const ComputeUnits units = rule.units ? *rule.units : assumed_units(from, out.notes);
    workload = known_workload(from, to, {units, on_units(kFlopsPerByte, units)}, out.notes);
  }
  const Result<Ratios> found =
      only_number_differs ? Ratios{1, pieces_of(from) / pieces_of(to)} : ratios(from, to, workload);
  if (!found.ok()) return found.error();
  out.energy_per_work.value = found.value().energy;
  out.time_per_work.value = found.value().time;
  out.units = workload.units;
  out.by = only_number_differs ? "number" : text_of(workload);
  if (is_by_precision && !only_number_differs) add_interval(from, to, workload, out);
  out.from = std::move(from);
  out.to = std::move(to);
  return out;
}

}  // namespace wattree
