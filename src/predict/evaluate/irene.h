// IrEne's method, held out as the paper does it.
#pragma once

#include <vector>

#include "src/predict/evaluate/data.h"
#include "src/predict/evaluate/evaluate.h"
#include "src/predict/irene/model.h"

namespace wattree {

struct IreneEvaluation {
  Evaluation evaluation;  // Over all seeds.
  std::vector<LevelValues> by_seed;
  std::int64_t without = 0;  // Predictions that the method could not make.
};

// Runs `seeds` times, with other first weights in every run and fold; a method that draws nothing
// at random (sum) runs once. The order of training trees is that of `data`.
Result<IreneEvaluation> evaluate_irene(const EvaluationData& data, const std::vector<Group>& groups,
                                       IreneOptions options, int seeds);

}  // namespace wattree
