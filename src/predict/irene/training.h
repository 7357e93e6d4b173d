// Learns the weights of the regressor of inner nodes by gradient descent.
#pragma once

#include <span>

#include "src/predict/irene/lesson.h"
#include "src/predict/irene/model.h"

namespace wattree {

// Adam from random first weights, one lesson a step, in their order. The weights are those of the
// monomials of the lessons' standardised rows.
LinearModel train_weights(std::span<const Lesson> lessons, const IreneOptions& options);

// a = 1 + tanh(score) / tau: how much of a child's energy its parent takes.
double child_weight(double score, double tau);

}  // namespace wattree
