// How well measurements of kernels and passes add up and repeat: what no prediction can be better
// than.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/predict/fit/kernel_fit.h"

namespace wattree {

// Parts that were measured one by one, against the whole.
struct Additivity {
  std::string name;
  double covered = 0;  // Share of the predicted energy whose kernels were measured.
  double energy = 0;   // Sum of the parts over the whole; what was not measured is as predicted.
  double time = 0;
};

struct MeasurementChecks {
  std::vector<Additivity> additivity;
  std::int64_t repeats = 0;  // Of the same pass;
  double repeat_median = 0;  // how far they are apart, in percent,
  double repeat_most = 0;
};

Result<MeasurementChecks> check_measurements(const KernelData& data);

}  // namespace wattree
