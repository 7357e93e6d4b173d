#include "src/measure/protocol/quiet.h"

#include <algorithm>
#include <cmath>
#include <string>

namespace wattree {
namespace {

Error busy(std::string message, std::string hint) {
  return {ErrorCode::kUnavailable, std::move(message), std::move(hint)};
}

std::string percent(double value) { return std::to_string(std::lround(value)) + " %"; }

}  // namespace

std::optional<double> other_cpu_percent(const Resources& r) {
  if (!r.cpu_percent || !r.own_cpu_percent) return std::nullopt;
  return std::max(0.0, *r.cpu_percent - *r.own_cpu_percent);
}

Status check_processes(int others) {
  if (others == 0) return {};
  return busy(std::to_string(others) +
                  (others == 1 ? " other process is" : " other processes are") +
                  " on the GPU: what it takes would be counted too",
              "wait for it to end, or go on with <allow_load>; every window is marked then");
}

Status check_quiet(const Resources& idle, const QuietLimits& limits) {
  if (idle.gpu_percent.value_or(0.0) > limits.most_other_gpu_percent) {
    return busy("the GPU is at work for " + percent(*idle.gpu_percent) +
                    " of the time before anything was begun",
                "wait for that to end, or go on with <allow_load>");
  }
  const auto others = other_cpu_percent(idle);
  if (!others || *others <= limits.most_other_cpu_percent) return {};
  return busy("other processes use " + percent(*others) +
                  " of the processors: times and energies would be theirs too",
              "wait for them to end, or go on with <allow_load>; windows are marked then");
}

}  // namespace wattree
