#include "src/predict/irene/training.h"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>

#include "src/base/random.h"
#include "src/predict/regress/adam.h"
#include "src/predict/regress/polynomial.h"

namespace wattree {
namespace {

Eigen::Map<Eigen::VectorXd> as_vector(std::span<double> numbers) {
  return {numbers.data(), static_cast<Eigen::Index>(numbers.size())};
}

// The derivative of ((P - G) / G)² by P; 0 for a node that is not learnt from.
double loss_slope(double predicted, double target) {
  return target > 0 ? 2 * ((predicted - target) / target) / target : 0;
}

// The derivative of the tree's loss by the score of each distinct row.
class ScoreSlopes {
 public:
  explicit ScoreSlopes(const IreneOptions& options) : options_(options) {}

  std::span<const double> of(const Lesson& lesson, std::span<const double> scores) {
    slopes_.assign(lesson.rows.size(), 0.0);
    if (options_.aggregate == IreneAggregate::kUnstructured) {
      for (std::size_t i = 0; i < lesson.target.size(); ++i) {
        if (lesson.target[i] <= 0) continue;
        const std::size_t row = as_index(lesson.rows.row_of[i]);
        slopes_[row] += loss_slope(scores[row], lesson.target[i]);
      }
    } else {
      weigh(lesson, scores);
    }
    return slopes_;
  }

 private:
  void weigh(const Lesson& lesson, std::span<const double> scores) {
    const std::size_t nodes = lesson.parent.size();
    row_weight_.resize(lesson.rows.size());
    for (std::size_t r = 0; r < lesson.rows.size(); ++r) {
      row_weight_[r] = child_weight(scores[r], options_.tau);
    }
    const auto weight = [&](std::size_t i) {
      return lesson.rows.row_of[i] == kNoRow ? 1.0 : row_weight_[as_index(lesson.rows.row_of[i])];
    };
    // Upwards: what each node passes to its parent's sum, and the sums.
    predicted_.assign(nodes, 0.0);
    passed_ = lesson.given;
    for (std::size_t i = 0; i < nodes; ++i) {
      if (std::isnan(passed_[i])) passed_[i] = predicted_[i];
      if (lesson.parent[i] >= 0) predicted_[as_index(lesson.parent[i])] += weight(i) * passed_[i];
    }
    // Downwards: how the loss grows with each node's sum, and with each child's weight.
    by_predicted_.resize(nodes);
    for (std::size_t i = nodes; i-- > 0;) {
      by_predicted_[i] = loss_slope(predicted_[i], lesson.target[i]);
      if (lesson.parent[i] < 0) continue;
      const double above = by_predicted_[as_index(lesson.parent[i])];
      if (std::isnan(lesson.given[i])) by_predicted_[i] += weight(i) * above;
      if (lesson.rows.row_of[i] != kNoRow)
        slopes_[as_index(lesson.rows.row_of[i])] += above * passed_[i];
    }
    // From weights to scores: da/ds = (1 - tanh²) / tau.
    for (std::size_t r = 0; r < lesson.rows.size(); ++r) {
      const double tanh = (row_weight_[r] - 1) * options_.tau;
      slopes_[r] *= (1 - tanh * tanh) / options_.tau;
    }
  }

  const IreneOptions& options_;
  // Kept between trees, for their memory.
  std::vector<double> slopes_, row_weight_, predicted_, passed_, by_predicted_;
};

LinearModel first_weights(std::size_t size, std::int64_t seed) {
  Random random(static_cast<std::uint64_t>(seed));
  const double limit = 1 / std::sqrt(static_cast<double>(size));  // As torch.nn.Linear begins.
  LinearModel out;
  for (std::size_t i = 0; i < size; ++i) out.weights.push_back(random.uniform(-limit, limit));
  out.intercept = random.uniform(-limit, limit);
  return out;
}

}  // namespace

LinearModel train_weights(std::span<const Lesson> lessons, const IreneOptions& options) {
  const std::size_t terms = polynomial_size(feature_names(options.features).size(), kIreneDegree);
  LinearModel model = first_weights(terms, options.seed);
  Adam weights_adam(terms, {.learning_rate = options.learning_rate});
  Adam intercept_adam(1, {.learning_rate = options.learning_rate});
  ScoreSlopes score_slopes(options);
  // The monomials of one row. They are worked out anew wherever they are needed: that is as fast as
  // reading them back from memory, and takes none.
  std::vector<double> phi(terms);
  std::vector<double> scores;
  std::vector<double> gradient(terms);
  for (std::int64_t epoch = 0; epoch < options.epochs; ++epoch) {
    for (const Lesson& lesson : lessons) {
      scores.resize(lesson.rows.size());
      for (std::size_t r = 0; r < scores.size(); ++r) {
        expand_polynomial(lesson.rows.row(r), kIreneDegree, phi);
        scores[r] = model.intercept + as_vector(model.weights).dot(as_vector(phi));
      }
      const auto slopes = score_slopes.of(lesson, scores);
      std::fill(gradient.begin(), gradient.end(), 0.0);
      double intercept_gradient = 0;
      for (std::size_t r = 0; r < slopes.size(); ++r) {
        if (slopes[r] == 0) continue;
        expand_polynomial(lesson.rows.row(r), kIreneDegree, phi);
        as_vector(gradient) += slopes[r] * as_vector(phi);
        intercept_gradient += slopes[r];
      }
      weights_adam.step(model.weights, gradient);
      intercept_adam.step(std::span(&model.intercept, 1), std::span(&intercept_gradient, 1));
    }
  }
  return model;
}

double child_weight(double score, double tau) { return 1 + std::tanh(score) / tau; }

}  // namespace wattree
