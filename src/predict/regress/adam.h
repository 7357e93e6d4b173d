// Adam: gradient descent whose step adapts to each weight (Kingma and Ba 2014, algorithm 1).
#pragma once

#include <cstddef>
#include <span>
#include <vector>

namespace wattree {

struct AdamOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
};

class Adam {
 public:
  explicit Adam(std::size_t weights, const AdamOptions& options = {});
  // Moves the weights against their gradient.
  void step(std::span<double> weights, std::span<const double> gradient);

 private:
  AdamOptions options_;
  std::vector<double> mean_;    // Running mean of the gradient,
  std::vector<double> square_;  // and of its square, by weight.
  double beta1_power_ = 1;      // beta^steps: both means start at 0 and are corrected for it.
  double beta2_power_ = 1;
};

}  // namespace wattree
