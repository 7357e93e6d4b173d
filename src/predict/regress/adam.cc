#include "src/predict/regress/adam.h"

#include <cassert>
#include <cmath>

namespace wattree {

Adam::Adam(std::size_t weights, const AdamOptions& options)
    : options_(options), mean_(weights), square_(weights) {}

void Adam::step(std::span<double> weights, std::span<const double> gradient) {
  assert(weights.size() == mean_.size() && gradient.size() == mean_.size());
  beta1_power_ *= options_.beta1;
  beta2_power_ *= options_.beta2;
  const double rate = options_.learning_rate / (1 - beta1_power_);
  const double correction = 1 / std::sqrt(1 - beta2_power_);
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double g = gradient[i];
    mean_[i] = options_.beta1 * mean_[i] + (1 - options_.beta1) * g;
    square_[i] = options_.beta2 * square_[i] + (1 - options_.beta2) * g * g;
    weights[i] -= rate * mean_[i] / (std::sqrt(square_[i]) * correction + options_.epsilon);
  }
}

}  // namespace wattree
