// The kernels that a machine is calibrated with.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/measure/windows/read_windows.h"
#include "src/models/tree/distinct.h"
#include "src/models/tree/model_tree.h"

namespace wattree {

// The kernels of one precision that could be measured.
struct CalibrationKernels {
  std::string dtype;
  ModelTree tree;
  DistinctNodes distinct;
  std::map<std::string, std::size_t> order;  // By node: 0 is the most telling.
};
// In a deque, because jobs point to the trees.
using CalibrationSets = std::deque<CalibrationKernels>;

// Of "bf16,fp32"; where the list is empty, of these two on a GPU and of fp32 on a processor.
Result<CalibrationSets> calibration_kernels(const std::string& dtypes, bool is_processor);

// Adds those of other precisions that were measured before: they are known too.
Status add_earlier(const std::vector<MeasuredSession>& sessions, bool is_processor,
                   CalibrationSets& sets);

}  // namespace wattree
