#include <gtest/gtest.h>

#include <cmath>

#include "src/predict/irene/fit.h"
#include "src/predict/irene/predict.h"
#include "src/predict/irene/test_trees.h"

namespace wattree {
namespace {

IreneFit fit(const std::vector<DatasetTree>& trees, const IreneOptions& options) {
  auto out = fit_irene(pointers(trees), options);
  EXPECT_TRUE(out.ok()) << out.error().message;
  return out.ok() ? std::move(out).value() : IreneFit{};
}

bool says(const std::vector<std::string>& warnings, std::string_view what) {
  for (const std::string& warning : warnings) {
    if (warning.find(what) != std::string::npos) return true;
  }
  return false;
}

void expect_finite(const IreneFit& fit, const std::vector<DatasetTree>& trees) {
  for (const DatasetTree& tree : trees) {
    for (const auto& energy : predict_irene(fit.model, tree).energies) {
      ASSERT_TRUE(energy);
      ASSERT_TRUE(std::isfinite(energy->value));
    }
  }
}

// A tree unlike those of sample_trees: 0.35 s of Linear and 0.5 s of Softmax.
DatasetTree unseen() {
  return TreeBuilder("c", 8, 100)
      .leaf("Linear", 0.35, std::nullopt)
      .leaf("Softmax", 0.5, std::nullopt)
      .inner(2, 0.9, std::nullopt)
      .build();
}

TEST(Irene, SumsLeaves) {
  const IreneFit sum = fit(sample_trees(1.3), {.aggregate = IreneAggregate::kSum});
  EXPECT_TRUE(sum.warnings.empty()) << sum.warnings[0];
  EXPECT_EQ(sum.model.leaves.find("Linear")->second.rows, 64);  // 2 models · 8 sizes · 4
  const IrenePrediction predicted = predict_irene(sum.model, sample_trees(1.3)[2]);
  ASSERT_EQ(predicted.energies.size(), 9U);
  // t = 0.3 s: Linear 2 + 9 J, Softmax 1 + 12 J; a layer is two and one.
  EXPECT_NEAR(predicted.energies[0]->value, 11, 1e-9);
  EXPECT_NEAR(predicted.energies[2]->value, 13, 1e-9);
  EXPECT_NEAR(predicted.energies[3]->value, 35, 1e-9);
  EXPECT_NEAR(predicted.energies[8]->value, 70, 1e-9);
  EXPECT_TRUE(predicted.warnings.empty());
}

// The mean relative error of inner nodes.
double inner_error(const IreneModel& model, const std::vector<DatasetTree>& trees) {
  double sum = 0;
  double count = 0;
  for (const DatasetTree& tree : trees) {
    const IrenePrediction predicted = predict_irene(model, tree);
    for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
      if (tree.nodes[i].is_leaf()) continue;
      sum += std::abs(predicted.energies[i]->value / tree.nodes[i].energy->value - 1);
      ++count;
    }
  }
  return sum / count;
}

TEST(Irene, LearnsWhatParentsTakeBeyondTheirChildren) {
  const std::vector<DatasetTree> trees = sample_trees(1.05);
  // Layers lack 1 - 1/1.05, roots 1 - 1/1.05²; there are two layers to a root.
  EXPECT_NEAR(inner_error(fit(trees, {.aggregate = IreneAggregate::kSum}).model, trees),
              (2 * (1 - 1 / 1.05) + (1 - 1 / 1.1025)) / 3, 1e-9);
  for (const auto aggregate : {IreneAggregate::kEnd2End, IreneAggregate::kStepwise}) {
    const IreneFit learnt = fit(trees, {.aggregate = aggregate, .epochs = 300});
    EXPECT_LT(inner_error(learnt.model, trees), 0.01) << name_of(aggregate);
  }
}

TEST(Irene, CannotWeighBeyondItsLimits) {
  // Parents take twice what their children do; a weight is below 1 + 1/10.
  const std::vector<DatasetTree> trees = sample_trees(2);
  const IreneFit learnt = fit(trees, {.epochs = 300});
  const auto energies = predict_irene(learnt.model, trees[0]).energies;
  const double children = energies[0]->value + energies[1]->value + energies[2]->value;
  EXPECT_LT(energies[3]->value, 1.1 * children);
  EXPECT_GT(energies[3]->value, 1.09 * children);
}

TEST(Irene, LearnsWithoutStructure) {
  // Adam moves a weight by about 0.001 a step, so joules must be small for it to get there.
  std::vector<DatasetTree> trees = sample_trees(1);
  for (DatasetTree& tree : trees) {
    for (DatasetNode& node : tree.nodes) node.energy = Joules(node.energy->value / 50);
  }
  IreneOptions options{.aggregate = IreneAggregate::kUnstructured, .epochs = 0};
  EXPECT_GT(inner_error(fit(trees, options).model, trees), 0.9);
  options.epochs = 300;
  EXPECT_LT(inner_error(fit(trees, options).model, trees), 0.3);
}

TEST(Irene, GivesTheSameBitsEveryTime) {
  const std::vector<DatasetTree> trees = sample_trees(1.05);
  EXPECT_EQ(fit(trees, {.seed = 5}).model, fit(trees, {.seed = 5}).model);
}

TEST(Irene, SaysWhichTypesItNeverSaw) {
  const IreneFit learnt = fit(sample_trees(1.05), {});
  DatasetTree tree = unseen();
  tree.nodes[1].instance_type = "LSTM";
  const IrenePrediction predicted = predict_irene(learnt.model, tree);
  EXPECT_TRUE(predicted.energies[0]);
  EXPECT_FALSE(predicted.energies[1]);
  EXPECT_FALSE(predicted.energies[2]);
  EXPECT_TRUE(says(predicted.warnings, "never learnt: LSTM"));
}

TEST(Irene, SaysWhatLacksFeatures) {
  const IreneFit learnt = fit(sample_trees(1.05), {});
  DatasetTree tree = unseen();
  tree.nodes[0].features.set(Feature::kCpu, std::nan(""));
  const IrenePrediction predicted = predict_irene(learnt.model, tree);
  EXPECT_FALSE(predicted.energies[0]);
  EXPECT_TRUE(predicted.energies[1]);
  EXPECT_FALSE(predicted.energies[2]);
  EXPECT_TRUE(says(predicted.warnings, "1 leaves lack features"));
  EXPECT_TRUE(says(predicted.warnings, "no value for cpu"));
}

TEST(Irene, WeighsAChildWithoutFeaturesByOne) {
  const IreneFit learnt = fit(sample_trees(1.05), {});
  DatasetTree tree = TreeBuilder("c", 8, 100)
                         .leaf("Linear", 0.35, std::nullopt)
                         .inner(1, 0.4, std::nullopt)
                         .inner(1, 0.5, std::nullopt)
                         .build();
  tree.nodes[1].features = Features();
  const IrenePrediction predicted = predict_irene(learnt.model, tree);
  EXPECT_NE(predicted.energies[0], predicted.energies[1]);
  EXPECT_EQ(predicted.energies[1], predicted.energies[2]);
  EXPECT_TRUE(says(predicted.warnings, "unweighted"));
}

TEST(Irene, GivesANodeWithNothingBelowNoEnergy) {
  const IreneFit learnt = fit(sample_trees(1.05), {});
  const DatasetTree tree = TreeBuilder("c", 8, 100)
                               .inner(0, 0.1, std::nullopt)
                               .leaf("Linear", 0.35, std::nullopt)
                               .inner(2, 0.4, std::nullopt)
                               .build();
  const IrenePrediction predicted = predict_irene(learnt.model, tree);
  EXPECT_FALSE(predicted.energies[0]);
  EXPECT_TRUE(predicted.energies[1]);
  EXPECT_FALSE(predicted.energies[2]);
  EXPECT_TRUE(says(predicted.warnings, "no children"));
}

TEST(Irene, WarnsOfNegativeLeaves) {
  const IreneFit learnt = fit(sample_trees(1.05), {.aggregate = IreneAggregate::kSum});
  DatasetTree tree = TreeBuilder("c", 8, 100).leaf("Linear", -1, {}).inner(1, 1, {}).build();
  const IrenePrediction predicted = predict_irene(learnt.model, tree);
  ASSERT_TRUE(predicted.energies[0]);
  EXPECT_LT(predicted.energies[0]->value, 0);
  EXPECT_TRUE(says(predicted.warnings, "below zero"));
}

TEST(Irene, GivesNoNumberWhereThereIsNone) {
  const IreneFit learnt = fit(sample_trees(1.05), {});
  DatasetTree tree = unseen();
  for (const Feature feature : {Feature::kTime, Feature::kFlops, Feature::kGpuEnergy}) {
    tree.nodes[0].features.set(feature, feature == Feature::kFlops ? -1e200 : 1e200);
  }
  for (const auto& energy : predict_irene(learnt.model, tree).energies) {
    EXPECT_TRUE(!energy || std::isfinite(energy->value));
  }
}

// What data may be like, at worst.

TEST(IreneDegenerate, OneModelOnly) {
  std::vector<DatasetTree> trees = sample_trees(1.05);
  trees.resize(8);
  const IreneFit learnt = fit(trees, {});
  EXPECT_TRUE(says(learnt.warnings, "all trees are of one model, a"));
  expect_finite(learnt, trees);
}

TEST(IreneDegenerate, OneTypeOnly) {
  std::vector<DatasetTree> trees = sample_trees(1.05);
  for (DatasetTree& tree : trees) {
    for (DatasetNode& node : tree.nodes) {
      if (node.is_leaf()) node.instance_type = "Linear";
    }
  }
  const IreneFit learnt = fit(trees, {});
  EXPECT_EQ(learnt.model.leaves.size(), 1U);
  expect_finite(learnt, trees);
}

TEST(IreneDegenerate, ConstantFeaturesAndCopiesOnly) {
  const DatasetTree tree = sample_trees(1.05)[0];
  const std::vector<DatasetTree> trees(4, tree);
  for (const IreneAggregate aggregate : kIreneAggregates) {
    const IreneFit learnt = fit(trees, {.aggregate = aggregate});
    EXPECT_TRUE(says(learnt.warnings, "Linear: every measurement has the same features"));
    expect_finite(learnt, trees);
    // The mean of copies is the copy.
    EXPECT_NEAR(predict_irene(learnt.model, tree).energies[0]->value, 5, 1e-12);
  }
}

TEST(IreneDegenerate, FewMeasurements) {
  std::vector<DatasetTree> trees = sample_trees(1.05);
  trees.resize(3);
  const IreneFit learnt = fit(trees, {});
  EXPECT_TRUE(says(learnt.warnings, "Softmax: only 3 different measurements for 14 features"));
  expect_finite(learnt, trees);
}

TEST(IreneDegenerate, ZeroAndNegativeEnergy) {
  std::vector<DatasetTree> trees = sample_trees(1.05);
  trees[0].nodes[0].energy = Joules(0);
  trees[0].nodes[2].energy = Joules(-4);
  trees[0].nodes[3].energy = Joules(0);
  trees[1].nodes.back().energy = Joules(-1e9);
  for (const IreneAggregate aggregate : kIreneAggregates) {
    const IreneFit learnt = fit(trees, {.aggregate = aggregate});
    EXPECT_TRUE(
        says(learnt.warnings, "Linear: 1 of 64 leaves left out: measured energy not above"));
    EXPECT_TRUE(says(learnt.warnings, "Softmax: 1 of 32 leaves left out"));
    if (aggregate != IreneAggregate::kSum) {
      EXPECT_TRUE(says(learnt.warnings, "2 of 48 inner nodes have a measured energy that is not"));
    }
    expect_finite(learnt, trees);
    // As if they had not been there: 2 + 30 · 0.1 J.
    EXPECT_NEAR(predict_irene(learnt.model, trees[0]).energies[0]->value, 5, 1e-9);
  }
}

TEST(IreneDegenerate, MissingGroundTruth) {
  std::vector<DatasetTree> trees = sample_trees(1.05);
  for (DatasetTree& tree : trees) {
    tree.nodes[3].energy = std::nullopt;
    tree.nodes[4].energy = std::nullopt;
  }
  for (const IreneAggregate aggregate : kIreneAggregates) {
    const IreneFit learnt = fit(trees, {.aggregate = aggregate});
    EXPECT_TRUE(says(learnt.warnings, "Linear: 16 of 64 leaves left out: no measured energy"));
    if (aggregate != IreneAggregate::kSum) {
      EXPECT_TRUE(says(learnt.warnings, "16 of 48 inner nodes have no measured energy"));
    }
    expect_finite(learnt, trees);
  }
}

TEST(IreneDegenerate, LeavesThatCannotBePredicted) {
  std::vector<DatasetTree> trees = sample_trees(1.05);
  for (DatasetTree& tree : trees) tree.nodes[0].features = Features();
  const IreneFit learnt = fit(trees, {});
  EXPECT_TRUE(says(learnt.warnings, "Linear: 16 of 64 leaves left out: no value for num_param"));
  EXPECT_TRUE(says(learnt.warnings, "32 of 48 inner nodes rest on nodes without"));
  EXPECT_FALSE(says(learnt.warnings, "unweighted"));
  // The other layer of each tree is complete.
  EXPECT_TRUE(predict_irene(learnt.model, trees[0]).energies[7]);
}

TEST(IreneDegenerate, AnEnergyNextToZero) {
  std::vector<DatasetTree> trees = sample_trees(1.05);
  trees[0].nodes[3].energy = Joules(1e-300);
  for (const IreneAggregate aggregate : kIreneAggregates) {
    const auto learnt = fit_irene(pointers(trees), {.aggregate = aggregate});
    if (learnt.ok()) {
      expect_finite(learnt.value(), trees);
    } else {
      EXPECT_NE(learnt.error().hint.find("next to zero"), std::string::npos);
    }
  }
}

TEST(IreneDegenerate, NothingToLearnFrom) {
  std::vector<DatasetTree> trees = sample_trees(1.05);
  EXPECT_FALSE(fit_irene({}, {}).ok());
  for (DatasetTree& tree : trees) {
    for (DatasetNode& node : tree.nodes) {
      if (!node.is_leaf()) node.energy = std::nullopt;
    }
  }
  const auto no_inner = fit_irene(pointers(trees), {});
  ASSERT_FALSE(no_inner.ok());
  EXPECT_EQ(no_inner.error().code, ErrorCode::kInvalidInput);
  EXPECT_NE(no_inner.error().message.find("none of 48 inner nodes"), std::string::npos);
  EXPECT_TRUE(fit_irene(pointers(trees), {.aggregate = IreneAggregate::kSum}).ok());
  for (DatasetTree& tree : trees) {
    for (DatasetNode& node : tree.nodes) node.energy = std::nullopt;
  }
  const auto nothing = fit_irene(pointers(trees), {.aggregate = IreneAggregate::kSum});
  ASSERT_FALSE(nothing.ok());
  EXPECT_NE(nothing.error().message.find("no leaf has a measured energy"), std::string::npos);
}

TEST(IreneDegenerate, BadOptions) {
  const std::vector<DatasetTree> trees = sample_trees(1.05);
  EXPECT_FALSE(fit_irene(pointers(trees), {.tau = 0}).ok());
  EXPECT_FALSE(fit_irene(pointers(trees), {.epochs = -1}).ok());
  EXPECT_FALSE(fit_irene(pointers(trees), {.learning_rate = std::nan("")}).ok());
}

}  // namespace
}  // namespace wattree
