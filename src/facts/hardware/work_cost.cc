#include "src/facts/hardware/work_cost.h"

#include <algorithm>
#include <array>

namespace wattree {
namespace {

struct Named {
  std::string_view name;
  ComputeUnits units;
};
constexpr std::array kNames{Named{"fp32", ComputeUnits::kFp32}, Named{"tf32", ComputeUnits::kTf32},
                            Named{"16-bit", ComputeUnits::k16Bit},
                            Named{"bf16", ComputeUnits::k16Bit},
                            Named{"fp16", ComputeUnits::k16Bit}};

bool lacks_16_bit_units(const Device& device) {
  const auto lacks = [&](const char* precision) {
    const auto& all = device.no_units_for;
    return std::find(all.begin(), all.end(), precision) != all.end();
  };
  return lacks("fp16") && lacks("bf16");
}

Error without(const char* figure, const Device& device) {
  return {ErrorCode::kUnavailable,
          std::string("the table has no ") + figure + " for " + device.name,
          "give it with <hardware_file> (columns name,kind,tdp_w,fp32_gflops)"};
}

}  // namespace

std::string_view name_of(ComputeUnits units) {
  const auto found = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const Named& named) { return named.units == units; });
  return found->name;
}

std::optional<ComputeUnits> parse_compute_units(std::string_view name) {
  const auto found = std::find_if(kNames.begin(), kNames.end(),
                                  [&](const Named& named) { return named.name == name; });
  if (found == kNames.end()) return std::nullopt;
  return found->units;
}

std::optional<double> peak_gflops(const Device& device, ComputeUnits units) {
  if (units == ComputeUnits::kFp32) return device.fp32_gflops;
  if (!device.tensor_or_fp16_gflops) {
    return lacks_16_bit_units(device) ? device.fp32_gflops : std::nullopt;
  }
  if (units == ComputeUnits::k16Bit) return device.tensor_or_fp16_gflops;
  // Tensor cores that have TF32 run it at half their 16-bit rate; they came together with bf16's.
  const auto& lacking = device.no_units_for;
  const bool has_tf32 = device.vendor == "NVIDIA" &&
                        std::find(lacking.begin(), lacking.end(), "bf16") == lacking.end();
  if (!has_tf32) return device.fp32_gflops;
  return std::max(*device.tensor_or_fp16_gflops / 2, device.fp32_gflops.value_or(0));
}

Result<WorkCost> work_cost(const Fleet& fleet, const Workload& workload) {
  int pieces = 0;
  double joules = 0;
  double slowest = 0;
  for (const auto& [device, count] : fleet) {
    if (!device.tdp) return without("TDP", device);
    const std::optional<double> peak = peak_gflops(device, workload.units);
    if (!peak) {
      const bool is_fp32 = workload.units == ComputeUnits::kFp32;
      return without(is_fp32 ? "FP32 rate" : "16-bit rate", device);
    }
    double seconds = 1 / *peak;
    if (workload.flops_per_byte) {
      if (!device.memory_gb_per_s) return without("memory bandwidth", device);
      seconds += 1 / (*workload.flops_per_byte * *device.memory_gb_per_s);
    }
    pieces += count;
    joules += count * device.tdp->value * seconds;
    slowest = std::max(slowest, seconds);
  }
  if (pieces == 0) return Error{ErrorCode::kInvalidInput, "there is no hardware to compute on", ""};
  return WorkCost{joules / pieces, slowest / pieces};
}

}  // namespace wattree
