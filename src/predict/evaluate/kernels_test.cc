#include "src/predict/evaluate/kernels.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

// A pass of ten kernels, at 0.1 J and 1 ms each.
class CheckPredictorTest : public testing::Test {
 protected:
  CheckPredictorTest() {
    predictor_.is_by_kernel = true;
    Coefficients& kernel =
        predictor_.kinds[static_cast<std::size_t>(WorkKind::kPointwise)].emplace();
    kernel.energy[0] = 0.1;
    kernel.time[0] = 1e-3;
    Spread& spread = predictor_.spreads[static_cast<std::size_t>(Known::kNothing)].emplace();
    spread.energy.fill(0.05);
    predictor_.anchor = {Joules(0.5), "one"};
    data_.hardware = predictor_.hardware = "a card";
    data_.models = {"a"};
    data_.anchor = {Joules(0.55), "one"};
  }
  // What the middle card of the data would take, and its own card over that.
  void add_pass(Joules energy, double card_factor) {
    KernelSample& sample = data_.samples.emplace_back();
    sample.subject = KernelSample::Subject::kPass;
    Work work;
    work.kind = WorkKind::kElementwise;
    sample.kernels = {{work, 10}};
    sample.energy = energy;
    sample.card_factor = card_factor;
    sample.time = Seconds(10e-3);
    sample.dtype = "bf16";
    sample.model = 0;
  }

  Predictor predictor_;
  KernelData data_;
};

TEST_F(CheckPredictorTest, HowCardsDifferIsInTheErrorsSaveOverTheAnchor) {
  // Cards whose anchors take 1.1 and 1.21 times what the predictor's does, as their passes do.
  add_pass(Joules(1.1), 1);
  add_pass(Joules(1.1), 1.1);
  const KernelEvaluation check = check_predictor(data_, predictor_);
  ASSERT_EQ(check.by_dtype.size(), 1U);
  EXPECT_NEAR(check.by_dtype[0].second.mean, 100 * (2 - 1 / 1.1 - 1 / 1.21) / 2, 1e-6);
  EXPECT_NEAR(check.by_dtype[0].second.coverage, 0, 1e-6);
  ASSERT_EQ(check.over_anchor.size(), 1U);
  EXPECT_EQ(check.over_anchor[0].first, "bf16");
  EXPECT_EQ(check.over_anchor[0].second.count, 2);
  EXPECT_NEAR(check.over_anchor[0].second.mean, 0, 1e-6);
  EXPECT_NEAR(check.over_anchor[0].second.coverage, 100, 1e-6);
}

TEST_F(CheckPredictorTest, AnchorsOfOtherProtocolsAreNotCompared) {
  add_pass(Joules(1), 1);
  data_.anchor.protocol = "another";
  EXPECT_TRUE(check_predictor(data_, predictor_).over_anchor.empty());
  data_.anchor.protocol = "one";
  EXPECT_FALSE(check_predictor(data_, predictor_).over_anchor.empty());
  data_.hardware = "another card";
  EXPECT_TRUE(check_predictor(data_, predictor_).over_anchor.empty());
  data_.hardware = predictor_.hardware;
  predictor_.anchor = {};
  EXPECT_TRUE(check_predictor(data_, predictor_).over_anchor.empty());
}

TEST_F(CheckPredictorTest, WhatIsStoodInForHasAWiderInterval) {
  add_pass(Joules(1.1), 1);
  EXPECT_NEAR(check_predictor(data_, predictor_).by_dtype[0].second.width, 5, 1e-6);
  // Functions have no prices here, and pointwise kernels stand in for them.
  data_.samples[0].kernels[0].work.kind = WorkKind::kTranscendental;
  const KernelErrors stood_in = check_predictor(data_, predictor_).by_dtype[0].second;
  EXPECT_NEAR(stood_in.width, 55, 1e-6);
  EXPECT_NEAR(stood_in.coverage, 100, 1e-6);
}

}  // namespace
}  // namespace wattree
