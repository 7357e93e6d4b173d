#include "src/predict/irene/inner.h"

#include <gtest/gtest.h>

#include <cmath>

#include "src/predict/irene/fit.h"
#include "src/predict/irene/test_trees.h"

namespace wattree {
namespace {

// The loss of a tree as the paper writes it, node by node and without any of the short cuts of the
// training: no distinct rows, no backward pass.
double loss_of(const IreneModel& model, const DatasetTree& tree) {
  const TreeRows rows = rows_of(tree, model.options.features);
  const std::vector<double> scores = inner_scores(model.inner, rows);
  const auto score = [&](std::size_t i) {
    return scores[static_cast<std::size_t>(rows.row_of[i])];
  };
  std::vector<double> predicted(tree.nodes.size());
  double loss = 0;
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    const DatasetNode& node = tree.nodes[i];
    if (node.is_leaf()) {
      predicted[i] = predict_leaf(model.leaves.find(node.instance_type)->second,
                                  rows.row(static_cast<std::size_t>(rows.row_of[i])));
      continue;
    }
    for (const std::int32_t child : children_of(tree, static_cast<std::int32_t>(i))) {
      const auto c = static_cast<std::size_t>(child);
      const double energy = model.options.aggregate == IreneAggregate::kStepwise
                                ? tree.nodes[c].energy->value
                                : predicted[c];
      predicted[i] += (1 + std::tanh(score(c)) / model.options.tau) * energy;
    }
    if (model.options.aggregate == IreneAggregate::kUnstructured) predicted[i] = score(i);
    const double relative = (predicted[i] - node.energy->value) / node.energy->value;
    loss += relative * relative;
  }
  return loss;
}

double& weight(IreneModel& model, std::size_t i) {
  auto& linear = model.inner.linear;
  return i < linear.weights.size() ? linear.weights[i] : linear.intercept;
}

double slope_of(IreneModel model, const DatasetTree& tree, std::size_t i) {
  const double step = 1e-5;
  const double before = weight(model, i);
  weight(model, i) = before + step;
  const double above = loss_of(model, tree);
  weight(model, i) = before - step;
  return (above - loss_of(model, tree)) / (2 * step);
}

class Gradient : public testing::TestWithParam<IreneAggregate> {};

// With a tiny learning rate, two steps of Adam on two trees give away both gradients: the first
// moves a weight by the sign of g1, the second by a known function of g1 and g2.
TEST_P(Gradient, IsThatOfTheLoss) {
  std::vector<DatasetTree> trees = sample_trees(1.2);
  trees = {trees[1], trees[9]};
  const double rate = 1e-7;
  IreneOptions options{.aggregate = GetParam(), .epochs = 0, .learning_rate = rate};
  auto start = fit_irene(pointers(trees), options);
  options.epochs = 1;
  auto end = fit_irene(pointers(trees), options);
  ASSERT_TRUE(start.ok() && end.ok());
  IreneModel before = start.value().model;
  IreneModel after = end.value().model;
  int checked = 0;
  for (std::size_t i = 0; i <= before.inner.linear.weights.size(); ++i) {
    const double g1 = slope_of(before, trees[0], i);
    const double g2 = slope_of(before, trees[1], i);
    if (std::abs(g1) < 1e-5 || std::abs(g2) < 1e-5) continue;  // Too small to differentiate.
    const double first = g1 / std::abs(g1);
    const double second = ((0.09 * g1 + 0.1 * g2) / 0.19) /
                          std::sqrt((0.000999 * g1 * g1 + 0.001 * g2 * g2) / 0.001999);
    EXPECT_NEAR((weight(before, i) - weight(after, i)) / rate, first + second, 2e-3) << i;
    ++checked;
  }
  EXPECT_GT(checked, 50);
}

INSTANTIATE_TEST_SUITE_P(Aggregates, Gradient,
                         testing::Values(IreneAggregate::kEnd2End, IreneAggregate::kStepwise,
                                         IreneAggregate::kUnstructured),
                         [](const auto& test) { return std::string(name_of(test.param)); });

TEST(Inner, BeginsWithinTheLimitsOfALinearLayer) {
  const auto trees = sample_trees(1.05);
  const auto fit = fit_irene(pointers(trees), {.epochs = 0});
  ASSERT_TRUE(fit.ok());
  const auto& weights = fit.value().model.inner.linear.weights;
  ASSERT_EQ(weights.size(), 680U);
  const double limit = 1 / std::sqrt(680.0);
  const auto [low, high] = std::minmax_element(weights.begin(), weights.end());
  EXPECT_GE(*low, -limit);
  EXPECT_LE(*high, limit);
  EXPECT_GT(*high - *low, 1.9 * limit);
  EXPECT_NE(fit_irene(pointers(trees), {.epochs = 0, .seed = 2}).value().model.inner.linear.weights,
            weights);
}

TEST(Inner, ScalesByAllNodesCopiesIncluded) {
  // Four nodes: two copies of a leaf with time 1, one with time 2, and a root with time 4.
  const DatasetTree tree =
      TreeBuilder("m", 1, 1).leaf("L", 1, 1).leaf("L", 1, 1).leaf("L", 2, 2).inner(3, 4, 4).build();
  const DatasetTree* const trees[] = {&tree};
  const auto fit = fit_irene(trees, {});
  ASSERT_TRUE(fit.ok());
  const StandardScaler& scaler = fit.value().model.inner.scaler;
  EXPECT_DOUBLE_EQ(scaler.mean[12], 2);                // (1 + 1 + 2 + 4) / 4
  EXPECT_DOUBLE_EQ(scaler.scale[12], std::sqrt(1.5));  // (1 + 1 + 0 + 4) / 4
}

TEST(TreeRows, KeepsEachDistinctRowOnce) {
  TreeBuilder builder("m", 1, 1);
  builder.leaf("L", 1, 1).leaf("M", 1, 1).leaf("L", 2, 2);
  builder.last().features.set(Feature::kGpu, std::nan(""));
  const TreeRows rows = rows_of(builder.inner(3, 4, 4).build(), IreneFeatures::kAll);
  EXPECT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows.row_of[0], rows.row_of[1]);
  EXPECT_EQ(rows.row_of[2], kNoRow);
  EXPECT_NE(rows.row_of[3], rows.row_of[0]);
  EXPECT_EQ(rows.missing, "gpu");
  EXPECT_EQ(rows.row(static_cast<std::size_t>(rows.row_of[3]))[12], 4);
}

}  // namespace
}  // namespace wattree
