// From measured trees to a predictor with intervals: fit, and hold every model out once.
#pragma once

#include "src/predict/fit/fit.h"

namespace wattree {

struct TrainOptions {
  std::string name;
  std::string hardware;
  std::string meter;
  std::string boundary = "wall";
  std::vector<std::string> dtypes = {"fp32"};
  FitOptions fit = {};
};

struct Trained {
  Predictor predictor;
  std::vector<std::string> warnings;
};

Result<Trained> train_predictor(const WorkTrees& trees, const TrainOptions& options);

}  // namespace wattree
