#include "src/measure/protocol/software_baseline.h"

#include <algorithm>

namespace wattree {
namespace {

// Of what is in use, as far as both are known; never more than all.
std::optional<double> share(std::optional<double> own, std::optional<double> all) {
  if (!own || !all || *all <= 0) return std::nullopt;
  return std::min(1.0, *own / *all);
}

}  // namespace

std::optional<SoftwareEstimate> software_estimate(const Measurement& m, bool is_gpu_shared,
                                                  double pue) {
  const Resources& r = m.resources;
  double sum = 0;
  std::string covers;
  const auto add = [&](const char* name, std::optional<Joules> energy, std::optional<double> part) {
    if (!energy || !part) return;
    sum += energy->value * *part;
    covers += (covers.empty() ? "" : "+") + std::string(name);
  };
  add("cpu", r.cpu_energy, share(r.own_cpu_percent, r.cpu_percent));
  add("dram", r.dram_energy, share(r.own_ram_percent, r.ram_percent));
  if (r.sampled_power && !is_gpu_shared) {
    add("gpu", *r.sampled_power * m.window.duration(), 1.0);
  }
  if (covers.empty()) return std::nullopt;
  return SoftwareEstimate{Joules(pue * sum / m.window.runs), covers};
}

}  // namespace wattree
