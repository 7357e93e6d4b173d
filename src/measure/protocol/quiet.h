// Whether the machine is ours alone: what others draw would be in every figure.
#pragma once

#include <optional>

#include "src/base/result.h"
#include "src/measure/windows/resources.h"

namespace wattree {

struct QuietLimits {
  double most_other_cpu_percent = 10;
  double most_other_gpu_percent = 10;
};

// What others use of the processors; nothing where that is not known.
std::optional<double> other_cpu_percent(const Resources& resources);

// kUnavailable where other processes are on the GPU,
Status check_processes(int others);
// and where it or the processors are at work although nothing was begun.
Status check_quiet(const Resources& idle, const QuietLimits& limits);

}  // namespace wattree
