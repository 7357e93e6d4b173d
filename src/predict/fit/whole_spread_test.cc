#include "src/predict/fit/whole_spread.h"

#include <gtest/gtest.h>

#include "src/predict/fit/primitives.h"
#include "src/predict/fit/train_kernels.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {
namespace {

// Kernels of many sizes on a device that takes 1 µJ a launch and some for arithmetic and traffic,
// each measured `noise` too high or too low, in turn.
KernelData noisy_kernels(double noise) {
  KernelData data;
  data.hardware = "imaginary";
  const Result<ModelTree> tree = primitive_tree(Precision::kBf16, {});
  EXPECT_TRUE(tree.ok());
  int count = 0;
  for (const Node& node : tree.value().nodes()) {
    if (node.op == Op::kNone) continue;
    KernelSample& sample = data.samples.emplace_back();
    sample.kernels.push_back({work_of(tree.value(), node), 1});
    const double us =
        2 + 2e-9 * static_cast<double>(node.matmul_flops) + 3e-7 * static_cast<double>(node.bytes);
    const double factor = 1 + (++count / 5 % 2 == 0 ? noise : -noise);
    sample.time.value = 1e-6 * us * factor;
    sample.energy.value = 500 * sample.time.value;
    sample.dtype = "bf16";
  }
  deal_into_families(data);
  return data;
}

Spread spread_of(double noise) {
  const KernelData data = noisy_kernels(noise);
  Result<TrainedKernels> trained = train_kernels(data, "imaginary");
  EXPECT_TRUE(trained.ok());
  auto [predictor, held_out] = std::move(trained).value();
  EXPECT_TRUE(set_whole_spreads(data, held_out, predictor).ok());
  return predictor.spread_of_unknown(false);
}

constexpr auto kMl = static_cast<std::size_t>(TreeLevel::kMl);
constexpr auto kModule = static_cast<std::size_t>(TreeLevel::kModule);
constexpr auto kModel = static_cast<std::size_t>(TreeLevel::kModel);

// Where kernels err to both sides, models err less than each of them, and modules lie in between.
TEST(WholeSpread, WhatOneKernelTakesMoreAnotherTakesLess) {
  const Spread spread = spread_of(0.3);
  EXPECT_GT(spread.energy[kMl], 0.25);
  EXPECT_LT(spread.energy[kModel], 0.7 * spread.energy[kMl]);
  EXPECT_GT(spread.energy[kModel], 0.05);
  EXPECT_GE(spread.energy[kModule], spread.energy[kModel]);
  EXPECT_GT(spread.time[kModel], 0.05);
}

TEST(WholeSpread, GrowsWithTheErrorsOfKernels) {
  EXPECT_LT(spread_of(0.02).energy[kModel], spread_of(0.1).energy[kModel]);
  EXPECT_LT(spread_of(0.1).energy[kModel], spread_of(0.4).energy[kModel]);
}

}  // namespace
}  // namespace wattree
