#include "src/predict/irene/features.h"

#include <gtest/gtest.h>

#include "src/predict/irene/test_trees.h"

namespace wattree {
namespace {

DatasetTree counted() {
  DatasetTree tree = TreeBuilder("m", 3, 7).leaf("Linear", 1, 1).build();
  for (std::size_t i = 0; i < kFeatureCount; ++i) {
    tree.nodes[0].features.set(static_cast<Feature>(i), 100 + static_cast<double>(i));
  }
  return tree;
}

std::vector<double> row(const DatasetTree& tree, IreneFeatures set) {
  std::vector<double> out(feature_names(set).size());
  EXPECT_EQ(read_features(tree, tree.root(), set, out), std::nullopt);
  return out;
}

TEST(IreneFeatures, StandInThePublishedOrder) {
  // Parameters, 3 · 7, batch, length, flops, memory, then what the machine did.
  EXPECT_EQ(row(counted(), IreneFeatures::kAll),
            (std::vector<double>{100, 21, 3, 7, 101, 102, 103, 104, 105, 106, 107, 108, 109, 110}));
  EXPECT_EQ(row(counted(), IreneFeatures::kModel), (std::vector<double>{100, 21, 3, 7, 101, 102}));
  EXPECT_EQ(row(counted(), IreneFeatures::kResource),
            (std::vector<double>{100, 21, 103, 104, 105, 106, 107, 108, 109, 110}));
}

TEST(IreneFeatures, HaveTheNamesOfTheDataset) {
  const auto names = feature_names(IreneFeatures::kAll);
  EXPECT_EQ(names[4], "flops");
  EXPECT_EQ(names[13], "gpu_energy_mean");
  EXPECT_EQ(feature_names(IreneFeatures::kResource)[2], "cpu");
}

TEST(IreneFeatures, NameTheOneThatIsMissing) {
  std::vector<double> out(14);
  DatasetTree tree = counted();
  tree.nodes[0].features.set(Feature::kTime, std::nan(""));
  EXPECT_EQ(read_features(tree, tree.root(), IreneFeatures::kAll, out), "times_mean");
  tree.nodes[0].features.set(Feature::kFlops, HUGE_VAL);
  EXPECT_EQ(read_features(tree, tree.root(), IreneFeatures::kAll, out), "flops");
}

}  // namespace
}  // namespace wattree
