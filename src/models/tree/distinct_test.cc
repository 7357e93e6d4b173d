#include "src/models/tree/distinct.h"

#include <gtest/gtest.h>

#include "src/models/symbolic/nn.h"
#include "src/models/tree/cost.h"
#include "src/models/tree/folding.h"

namespace wattree {
namespace {

// Layers of two sums of `width` numbers each.
ModelTree layers(std::initializer_list<std::int64_t> widths) {
  Trace trace{Pass{}};
  {
    Module root(trace, "", "Model");
    int number = 0;
    for (const std::int64_t width : widths) {
      Module layer(trace, "layer." + std::to_string(number++), "Layer");
      const Tensor x = trace.input(DType::kFloat32, {width});
      layer.returns((x + 1.0) + 1.0);
    }
  }
  ModelTree tree = std::move(trace.finish()).value();
  EXPECT_TRUE(add_costs(tree).ok());
  return tree;
}

TEST(WorkHashes, TellWorkAndNothingElse) {
  const ModelTree tree = layers({4, 4, 5});
  const WorkHashes hashes(tree);
  // Post-order: two sums and their layer, thrice, and the root.
  ASSERT_EQ(tree.nodes().size(), 10U);
  EXPECT_EQ(hashes.of(0), hashes.of(1));
  EXPECT_EQ(hashes.of(2), hashes.of(5));
  EXPECT_NE(hashes.of(2), hashes.of(8));
  EXPECT_NE(hashes.of(0), hashes.of(2));
  EXPECT_EQ(hashes.kernels(0), 1);
  EXPECT_EQ(hashes.kernels(2), 2);
  EXPECT_EQ(hashes.kernels(9), 6);
  EXPECT_EQ(WorkHashes(layers({4})).of(2), hashes.of(2));
}

TEST(Folding, NeighboursOfOneSizeStandTogether) {
  const ModelTree tree = layers({4, 4, 5, 4});
  std::vector<Fold> folds;
  folded_children(tree, 12, true, folds);
  ASSERT_EQ(folds.size(), 3U);
  EXPECT_EQ(folds[0].count, 2);
  EXPECT_EQ(folds[0].first, 2);
  EXPECT_EQ(folds[0].last, 5);
  EXPECT_EQ(folds[1].count, 1);
  EXPECT_EQ(folds[2].count, 1);
  folds.clear();
  folded_children(tree, 12, false, folds);
  EXPECT_EQ(folds.size(), 4U);
  // The sums of a layer are not members of a list.
  folds.clear();
  folded_children(tree, 2, true, folds);
  EXPECT_EQ(folds.size(), 2U);
}

TEST(Folding, MembersOfListsAreNumbered) {
  EXPECT_EQ(numbered("encoder.layer.11")->first, "encoder.layer.");
  EXPECT_EQ(numbered("encoder.layer.11")->second, 11);
  EXPECT_FALSE(numbered("encoder.layer"));
  EXPECT_FALSE(numbered("encoder."));
}

}  // namespace
}  // namespace wattree
