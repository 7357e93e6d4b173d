// Baselines, floor and shares, by hand arithmetic.
#include "src/predict/evaluate/baselines.h"

#include <gtest/gtest.h>

#include "src/predict/evaluate/irene.h"
#include "src/predict/evaluate/shares.h"
#include "src/predict/irene/test_trees.h"

namespace wattree {
namespace {

// Two leaves in a root. Energies in J; all times 1 s unless said.
DatasetTree small_tree(const std::string& model, std::int64_t batch, double first, double second,
                       double root, double seconds = 1) {
  TreeBuilder builder(model, batch, 32);
  builder.leaf("Linear", seconds, first).leaf("Softmax", seconds, second);
  return builder.inner(2, 2 * seconds, root).build();
}

TEST(Baselines, PredictByOneFigureFromTheOtherModels) {
  // In model a energy is 10 W times time, in b 20 W: each is predicted with the other's watts.
  const std::vector<DatasetTree> trees{small_tree("a", 1, 10, 10, 20),
                                       small_tree("b", 1, 20, 20, 40)};
  const EvaluationData data({&trees[0], &trees[1]});
  const auto baselines = one_figure_baselines(data, model_groups(data.work));
  ASSERT_EQ(baselines.size(), 2U);
  EXPECT_EQ(baselines[0].name, "time_only");
  for (const auto& error : baselines[0].errors.at) {
    EXPECT_NEAR(error.value_or(75), (100 + 50) / 2.0, 1e-6);
  }
  EXPECT_TRUE(baselines[0].errors.at[0] && baselines[0].errors.at[2]);
  EXPECT_FALSE(baselines[0].errors.at[1]);  // There is no module.
}

TEST(Floor, IsTheDifferenceBetweenMeasurementsOfOneComputation) {
  // The same sizes in both models: 10 against 11, and the second leaf a copy.
  const std::vector<DatasetTree> trees{small_tree("a", 1, 10, 7, 20),
                                       small_tree("b", 1, 11, 7, 20)};
  const EvaluationData data({&trees[0], &trees[1]});
  const LevelValues floor = repeatability(data);
  ASSERT_TRUE(floor.at[0]);
  EXPECT_NEAR(*floor.at[0], 100 * (1.0 / 10 + 1.0 / 11) / 2, 1e-9);
  EXPECT_FALSE(floor.at[2]);  // Nothing was measured twice with two results.
}

TEST(Shares, AreOfMeanEnergies) {
  TreeBuilder first("m", 1, 32);
  first.leaf("Linear", 1, 1).leaf("Linear", 1, 2).inner(2, 2, 4);
  first.last().instance_type = "Mlp";
  first.leaf("Softmax", 1, 1);
  TreeBuilder second("m", 2, 32);
  second.leaf("Linear", 1, 10).leaf("Linear", 1, 20).inner(2, 2, 36);
  second.last().instance_type = "Mlp";
  second.leaf("Softmax", 1, 9);
  const std::vector<DatasetTree> trees{first.inner(2, 4, 10).build(),
                                       second.inner(2, 4, 90).build()};
  const auto shares = measured_shares({&trees[0], &trees[1]});
  ASSERT_EQ(shares.size(), 1U);
  ASSERT_EQ(shares[0].shares.size(), 2U);  // The Linear leaves are in the Mlp.
  EXPECT_EQ(shares[0].shares[0].type, "Mlp");
  EXPECT_NEAR(shares[0].shares[0].percent, 100 * 40.0 / 100, 1e-9);
  EXPECT_NEAR(shares[0].shares[1].percent, 100 * 10.0 / 100, 1e-9);
}

TEST(EvaluateIrene, PoolsSeedsAndKeepsThemApart) {
  const std::vector<DatasetTree> trees = sample_trees(1.05);
  const EvaluationData data(pointers(trees));
  IreneOptions options;
  options.epochs = 1;
  const auto result = evaluate_irene(data, model_groups(data.work), options, 3);
  ASSERT_TRUE(result.ok()) << result.error().message;
  const IreneEvaluation& e = result.value();
  ASSERT_EQ(e.by_seed.size(), 3U);
  std::size_t nodes = 0;
  for (const DatasetTree& tree : trees) nodes += tree.nodes.size();
  EXPECT_EQ(e.evaluation.predictions.size(), 3 * nodes);
  double sum = 0;
  for (const LevelValues& seed : e.by_seed) sum += *seed.at[2];
  EXPECT_NEAR(*e.evaluation.overall.at[2], sum / 3, 1e-9);
  EXPECT_NE(*e.by_seed[0].at[2], *e.by_seed[1].at[2]);
  options.aggregate = IreneAggregate::kSum;
  EXPECT_EQ(evaluate_irene(data, model_groups(data.work), options, 3).value().by_seed.size(), 1U);
}

}  // namespace
}  // namespace wattree
