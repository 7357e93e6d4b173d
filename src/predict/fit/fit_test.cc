#include "src/predict/fit/fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "src/predict/fit/synthetic_trees.h"
#include "src/predict/fit/train.h"

namespace wattree {
namespace {

Trained trained_on(const std::vector<DatasetTree>& trees) {
  const WorkTrees work = work_of(pointers_to(trees));
  Result<Trained> trained = train_predictor(work, {"test", "a machine", "a meter"});
  EXPECT_TRUE(trained.ok()) << trained.error().message;
  return std::move(trained).value();
}

std::vector<DatasetEstimate> predicted(const Predictor& predictor, const DatasetTree& tree,
                                       PredictOptions options) {
  const WorkTrees work = work_of({&tree});
  return predict_tree(predictor, TwinIndex(predictor), work.types, work.trees[0], options);
}

TEST(Fit, FindsTheLawTheDataFollows) {
  const Law law;
  const Predictor p = trained_on(synthetic_trees({"a", "b", "c", "d"}, law)).predictor;
  const Coefficients* gemm = p.find(WorkKind::kGemm);
  ASSERT_NE(gemm, nullptr);
  EXPECT_NEAR(gemm->energy[0], law.launch_j, 1e-3 * law.launch_j);
  EXPECT_NEAR(gemm->energy[1], law.per_gflop_j, 1e-3 * law.per_gflop_j);
  EXPECT_NEAR(gemm->energy[4], law.per_output_mib_j, 1e-2 * law.per_output_mib_j);
  EXPECT_NEAR(gemm->time[0], law.launch_j / law.watts, 1e-3 * law.launch_j / law.watts);
  EXPECT_NEAR(p.find(WorkKind::kCopy)->energy[0], law.copy_per_mib_j, 1e-3 * law.copy_per_mib_j);
  EXPECT_NEAR(p.find(WorkKind::kModuleCall)->energy[0], law.call_j, 1e-3 * law.call_j);
}

TEST(Fit, PredictsASizeAndAModelItHasNotSeen) {
  const Predictor p = trained_on(synthetic_trees({"a", "b", "c", "d"})).predictor;
  const DatasetTree tree = synthetic_tree("new", 7, 200, 512 + 64);
  const auto estimates = predicted(p, tree, {Known::kNothing, true});
  for (std::size_t i = 0; i < tree.nodes.size(); ++i) {
    EXPECT_NEAR(estimates[i].energy.value / tree.nodes[i].energy->value, 1, 0.01) << i;
    EXPECT_NEAR(estimates[i].time.value / tree.nodes[i].features.get(Feature::kTime), 1, 0.01) << i;
  }
  EXPECT_EQ(estimates[0].source, Source::kRoofline);
}

TEST(Fit, LooksATwinUpOnlyWhereItMay) {
  const std::vector<DatasetTree> trees = synthetic_trees({"a", "b", "c"});
  const Predictor p = trained_on(trees).predictor;
  EXPECT_EQ(predicted(p, trees[0], {Known::kNothing, true})[0].source, Source::kTwin);
  EXPECT_EQ(predicted(p, trees[0], {Known::kNothing, false})[0].source, Source::kRoofline);
}

TEST(Fit, AddsUpWhateverIsKnown) {
  const std::vector<DatasetTree> trees = synthetic_trees({"a", "b", "c"});
  const Predictor p = trained_on(trees).predictor;
  // Readings that contradict each other, and nodes without any.
  DatasetTree tree = synthetic_tree("new", 3, 77, 320);
  tree.nodes[0].features.set(Feature::kGpuEnergy, 2);
  tree.nodes[1].features = Features{};
  for (std::size_t k = 0; k < kKnownCount; ++k) {
    const auto e = predicted(p, tree, {static_cast<Known>(k), true});
    std::vector<double> children(e.size(), 0.0);
    for (std::size_t i = 0; i < e.size(); ++i) {
      EXPECT_TRUE(std::isfinite(e[i].energy.value));
      EXPECT_NEAR(children[i] + e[i].own.value, e[i].energy.value, 1e-9 * e[i].energy.value);
      if (tree.nodes[i].parent >= 0) {
        children[static_cast<std::size_t>(tree.nodes[i].parent)] += e[i].energy.value;
      }
    }
  }
}

TEST(Fit, TurnsReadingsIntoEnergyByThePowerLaw) {
  const Predictor p = trained_on(synthetic_trees({"a", "b", "c"})).predictor;
  DatasetTree tree = synthetic_tree("new", 3, 77, 320);
  // Nothing but what was read says that this node takes twice what the law would have.
  for (DatasetNode& node : tree.nodes) {
    node.features.set(Feature::kGpuEnergy, 2 * node.features.get(Feature::kGpuEnergy));
    node.features.set(Feature::kTime, 2 * node.features.get(Feature::kTime));
  }
  const auto e = predicted(p, tree, {Known::kNode, true});
  for (std::size_t i = 0; i < e.size(); ++i) {
    EXPECT_NEAR(e[i].energy.value, 2 * tree.nodes[i].energy->value, 0.02 * e[i].energy.value);
  }
}

TEST(Fit, GivesTheSameBitsEveryTime) {
  const std::vector<DatasetTree> trees = synthetic_trees({"a", "b", "c"});
  const Predictor a = trained_on(trees).predictor;
  const Predictor b = trained_on(trees).predictor;
  for (std::size_t k = 0; k < kWorkKinds; ++k) {
    ASSERT_EQ(a.kinds[k].has_value(), b.kinds[k].has_value());
    if (!a.kinds[k]) continue;
    EXPECT_EQ(a.kinds[k]->energy, b.kinds[k]->energy);
  }
}

TEST(Fit, KnowsHowFarItsMeasurementsReach) {
  const Predictor p = trained_on(synthetic_trees({"a", "b", "c"})).predictor;
  Work work;
  work.kind = WorkKind::kGemm;
  work.k = 256;
  work.n = 1024;
  work.m = 32;  // As in the data,
  EXPECT_FALSE(price_of(p, work).is_far);
  work.m = 16 * 256 * 3;  // somewhat beyond it,
  EXPECT_FALSE(price_of(p, work).is_far);
  work.m = 1;  // and one row, as in a decode step, where the least was 32.
  EXPECT_TRUE(price_of(p, work).is_far);
  work.m = 1e6;
  EXPECT_TRUE(price_of(p, work).is_far);
}

TEST(Fit, CountsCopiesOfAMeasurementOnce) {
  std::vector<DatasetTree> trees = synthetic_trees({"a", "b"});
  const WorkTrees once = work_of(pointers_to(trees));
  std::vector<const DatasetTree*> twice = pointers_to(trees);
  for (const DatasetTree& tree : trees) twice.push_back(&tree);
  const WorkTrees copies = work_of(twice);
  EXPECT_EQ(Samples(once).leaves().size(), Samples(copies).leaves().size());
  EXPECT_EQ(Samples(once).inner().size(), Samples(copies).inner().size());
}

TEST(Fit, SaysThatThereIsNothingToLearnFrom) {
  std::vector<DatasetTree> trees = synthetic_trees({"a"});
  for (DatasetTree& tree : trees) {
    for (DatasetNode& node : tree.nodes) node.energy.reset();
  }
  const WorkTrees work = work_of(pointers_to(trees));
  const Result<Trained> trained = train_predictor(work, {});
  ASSERT_FALSE(trained.ok());
  EXPECT_NE(trained.error().message.find("no leaf"), std::string::npos);
}

TEST(Fit, LeavesOutEnergiesThatAreNotPositiveAndSaysSo) {
  std::vector<DatasetTree> trees = synthetic_trees({"a", "b", "c"});
  trees[0].nodes[0].energy = Joules(0);
  trees[1].nodes[1].energy = Joules(-4);
  const Trained trained = trained_on(trees);
  ASSERT_FALSE(trained.warnings.empty());
  EXPECT_NE(trained.warnings[0].find("2 nodes"), std::string::npos);
  EXPECT_NEAR(trained.predictor.find(WorkKind::kGemm)->energy[1], Law{}.per_gflop_j, 1e-4);
}

TEST(Fit, WarnsWhereOneModelIsAllThereIs) {
  const Trained trained = trained_on(synthetic_trees({"only"}));
  EXPECT_NE(trained.warnings[0].find("only one model"), std::string::npos);
  EXPECT_TRUE(trained.predictor.spreads[0].has_value());
}

TEST(Fit, StaysFiniteOnOneMeasurement) {
  const std::vector<DatasetTree> trees = {synthetic_tree("only", 1, 32, 64)};
  const Predictor p = trained_on(trees).predictor;
  for (const auto& e : predicted(p, synthetic_tree("new", 2, 64, 128), {})) {
    EXPECT_TRUE(std::isfinite(e.energy.value));
    EXPECT_GT(e.energy.value, 0);
  }
}

}  // namespace
}  // namespace wattree
