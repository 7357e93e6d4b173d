// What to hold a method's errors against: the least that anybody could do, and the most.
#pragma once

#include <string>
#include <vector>

#include "src/predict/evaluate/data.h"
#include "src/predict/evaluate/evaluate.h"

namespace wattree {

struct Baseline {
  std::string name;
  LevelValues errors;  // Mean, in percent, on the same folds.
};

// E = c times one figure of the node, with one c for each level: "time_only" (its measured time)
// and "flops_only". A level is absent where the figure or the energy is.
std::vector<Baseline> one_figure_baselines(const EvaluationData& data,
                                           const std::vector<Group>& groups);

// How well measurements repeat: the mean difference, in percent, between a measurement and the mean
// of the others of the same computation (the same kernels of the same sizes, in whichever model).
// Copies of one measurement count once. Absent where nothing was measured twice.
LevelValues repeatability(const EvaluationData& data);

}  // namespace wattree
