// The train and annotate use cases: from measured trees to a predictor, and back into trees.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/measure/dataset/choose_models.h"
#include "src/predict/fit/aggregate.h"
#include "src/predict/fit/any_predictor.h"
#include "src/predict/fit/train.h"

namespace wattree {

struct TrainQuery {
  Aggregate aggregate = Aggregate::kReconciled;
  ModelChoice models;
  // What is empty is as the data says, or else unknown, wall and fp32.
  TrainOptions options{"", "", "", "", {}, {}};
  // Of IrEne's methods only:
  IreneFeatures features = IreneFeatures::kAll;
  std::int64_t seed = 1;
};

struct TrainAnswer {
  AnyPredictor predictor;
  std::vector<std::string> models_left_out;
  std::vector<std::string> warnings;
  std::string json;  // The file.
};

Result<TrainAnswer> train_on(const std::string& dataset, const TrainQuery& query);

struct AnnotateAnswer {
  std::int64_t trees = 0;
  std::int64_t nodes = 0;
  std::vector<std::string> warnings;
};

struct AnnotateOptions {
  PredictOptions predict;
  bool skips_bad = false;
};

// Reads trees from `input`, fills what `predictor` says of every node, and writes them to `output`:
// one tree at a time, so that the files may be larger than memory. `output` is there whole or not
// at all.
Result<AnnotateAnswer> annotate_file(const std::filesystem::path& input,
                                     const std::filesystem::path& predictor,
                                     const std::filesystem::path& output,
                                     const AnnotateOptions& options);

}  // namespace wattree
