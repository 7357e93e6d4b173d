#include "src/predict/predictor/reconcile.h"

#include <gtest/gtest.h>

#include <random>

namespace wattree {
namespace {

// Two leaves under a root.
std::vector<Evidence> two_leaves(Gaussian a, Gaussian b, Gaussian own,
                                 std::optional<Gaussian> reading) {
  return {{2, true, a, {}}, {2, true, b, {}}, {-1, false, own, reading}};
}

TEST(Reconcile, AddsUpWhereNothingWasRead) {
  const auto total = reconcile(two_leaves({2, 1}, {3, 1}, {1, 1}, {}));
  EXPECT_EQ(total, (std::vector<double>{2, 3, 6}));
}

TEST(Reconcile, BelievesAnExactReadingAndSharesTheDifferenceByVariance) {
  // Parts say 6 +- variances 1, 3, 0; the reading says 10 exactly: 4 more, shared 1 : 3.
  const auto total = reconcile(two_leaves({2, 1}, {3, 3}, {1, 0}, Gaussian{10, 0}));
  EXPECT_DOUBLE_EQ(total[2], 10);
  EXPECT_DOUBLE_EQ(total[0], 3);
  EXPECT_DOUBLE_EQ(total[1], 6);
}

TEST(Reconcile, MixesAReadingInByPrecision) {
  // Parts 6 with variance 4, reading 10 with variance 12: 6 + 4 * 4/16 = 7.
  const auto total = reconcile(two_leaves({2, 1}, {3, 3}, {1, 0}, Gaussian{10, 12}));
  EXPECT_DOUBLE_EQ(total[2], 7);
  EXPECT_DOUBLE_EQ(total[0], 2.25);
  EXPECT_DOUBLE_EQ(total[1], 3.75);
}

TEST(Reconcile, ScalesThePartsWhereSharingWouldPushOneBelowZero) {
  const auto total = reconcile(two_leaves({2, 0.01}, {4, 8}, {0, 0}, Gaussian{1.5, 0}));
  EXPECT_DOUBLE_EQ(total[2], 1.5);
  EXPECT_DOUBLE_EQ(total[0], 0.5);
  EXPECT_DOUBLE_EQ(total[1], 1.0);
}

TEST(Reconcile, LeavesWhatEveryNodeReadsAlone) {
  std::vector<Evidence> nodes = two_leaves({2, 1e-9}, {3, 1e-9}, {1, 4}, Gaussian{4.5, 1e-9});
  const auto total = reconcile(nodes);
  EXPECT_NEAR(total[0], 2, 1e-6);
  EXPECT_NEAR(total[1], 3, 1e-6);
  EXPECT_NEAR(total[2], 4.5, 1e-6);  // Its own part is -0.5: the children overlap.
}

TEST(Reconcile, NeverPutsAChildBelowZeroNorAPartAboveItsWhole) {
  std::mt19937 random(7);  // NOLINT(cert-msc51-cpp): the same trees every time.
  std::uniform_real_distribution<double> uniform(0.0, 1.0);
  for (int round = 0; round < 500; ++round) {
    // A chain of modules with leaves hanging on each.
    std::vector<Evidence> nodes;
    std::vector<std::int32_t> open;
    for (int depth = 0; depth < 5; ++depth) {
      const int leaves = 1 + static_cast<int>(uniform(random) * 4);
      for (int l = 0; l < leaves; ++l) {
        const double mean = uniform(random) * 10;
        open.push_back(static_cast<std::int32_t>(nodes.size()));
        nodes.push_back({-1, true, {mean, mean * mean * uniform(random)}, {}});
      }
      Evidence module{-1, false, {uniform(random), uniform(random)}, {}};
      if (uniform(random) < 0.5) module.reading = Gaussian{uniform(random) * 60, uniform(random)};
      for (const std::int32_t child : open) {
        nodes[static_cast<std::size_t>(child)].parent = static_cast<std::int32_t>(nodes.size());
      }
      open = {static_cast<std::int32_t>(nodes.size())};
      nodes.push_back(module);
    }
    const auto total = reconcile(nodes);
    std::vector<double> children(nodes.size(), 0.0);
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      ASSERT_GE(total[i], -1e-12) << "round " << round << " node " << i;
      if (nodes[i].parent >= 0) children[static_cast<std::size_t>(nodes[i].parent)] += total[i];
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (!nodes[i].is_leaf && !nodes[i].reading) {
        ASSERT_GE(total[i] - children[i], -1e-9 * (1 + total[i])) << "round " << round;
      }
    }
  }
}

}  // namespace
}  // namespace wattree
