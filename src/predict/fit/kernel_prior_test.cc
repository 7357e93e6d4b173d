#include "src/predict/fit/kernel_prior.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "src/predict/fit/primitives.h"
#include "src/predict/fit/reference_passes.h"
#include "src/predict/fit/train_kernels.h"
#include "src/predict/predictor/loaded_predictor.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {
namespace {

// A device like the H200 that takes twice the energy and three times as long, of which every 25th
// primitive was measured.
KernelDataAnswer few_kernels(const Predictor& h200) {
  KernelDataAnswer out;
  out.data.hardware = "imaginary";
  out.data.chip = h200.chip;
  out.dtypes = {"bf16"};
  out.boundary = "gpu";
  const Result<ModelTree> tree = primitive_tree(Precision::kBf16, {});
  EXPECT_TRUE(tree.ok());
  int count = 0;
  for (const Node& node : tree.value().nodes()) {
    if (node.op == Op::kNone || ++count % 25 != 0) continue;
    KernelSample sample;
    sample.kernels.push_back({work_of(tree.value(), node), 1});
    sample.dtype = "bf16";
    const SampleEstimate estimate = predict_sample(h200, sample);
    sample.energy.value = 2 * estimate.energy.value;
    sample.time.value = 3 * estimate.time.value;
    out.data.samples.push_back(sample);
  }
  return out;
}

TEST(KernelPrior, AFewKernelsTellHowADeviceDiffers) {
  const Result<LoadedPredictor> shipped = load_predictor({"", std::string(kDefaultPredictor), {}});
  ASSERT_TRUE(shipped.ok());
  const Predictor& h200 = *shipped.value().predictor;
  KernelDataAnswer input = few_kernels(h200);
  const auto measured = static_cast<std::int64_t>(input.data.samples.size());
  ASSERT_LT(measured, 20);
  const Result<Predictor> trained = train_on_kernels(std::move(input), "imaginary");
  ASSERT_TRUE(trained.ok()) << trained.error().message;
  EXPECT_EQ(trained.value().measurements, measured) << "what stands in is no measurement";

  const Result<ModelTree> tree = primitive_tree(Precision::kBf16, {});
  std::vector<double> energy, time;
  for (const Node& node : tree.value().nodes()) {
    if (node.op == Op::kNone) continue;
    KernelSample sample;
    sample.kernels.push_back({work_of(tree.value(), node), 1});
    const SampleEstimate here = predict_sample(trained.value(), sample);
    const SampleEstimate there = predict_sample(h200, sample);
    energy.push_back(here.energy / there.energy);
    time.push_back(here.time / there.time);
  }
  for (std::vector<double>* ratios : {&energy, &time}) std::sort(ratios->begin(), ratios->end());
  const auto at = [](const std::vector<double>& ratios, double share) {
    return ratios[static_cast<std::size_t>(share * static_cast<double>(ratios.size() - 1))];
  };
  EXPECT_NEAR(at(energy, 0.5), 2, 0.1);
  EXPECT_NEAR(at(time, 0.5), 3, 0.15);
  // Also at sizes far from those that were measured.
  EXPECT_GT(at(energy, 0), 1);
  EXPECT_LT(at(energy, 1), 4);
}

TEST(KernelPrior, KindsThatWereNotMeasuredTakeWhatTheRestSuggests) {
  const Result<LoadedPredictor> shipped = load_predictor({"", std::string(kDefaultPredictor), {}});
  ASSERT_TRUE(shipped.ok());
  const Predictor& h200 = *shipped.value().predictor;
  KernelDataAnswer input = few_kernels(h200);
  // Nothing of a decode step but its products.
  std::erase_if(input.data.samples, [](const KernelSample& sample) {
    return !has_weight(sample.kernels.front().work);
  });
  ASSERT_GT(input.data.samples.size(), 1U);
  const Result<Predictor> trained = train_on_kernels(std::move(input), "imaginary");
  ASSERT_TRUE(trained.ok()) << trained.error().message;
  EXPECT_EQ(trained.value().trees, 0) << "no pass was measured";
  EXPECT_NEAR(price_to_follow(trained.value()).time.value, 3 * price_to_follow(h200).time.value,
              1e-8);
  const Result<ModelTree> step = reference_tree({"opt-125m", 16, 1000}, "bf16");
  ASSERT_TRUE(step.ok()) << step.error().message;
  const auto whole = [&](const Predictor& predictor) {
    return predict_tree(predictor, TwinIndex(predictor), step.value()).value().back();
  };
  const NodeEstimate here = whole(trained.value());
  const NodeEstimate there = whole(h200);
  EXPECT_NEAR(here.energy / there.energy, 2, 0.2);
  EXPECT_NEAR(here.time / there.time, 3, 0.3);
}

TEST(KernelPrior, PrecisionsThatWereNotMeasuredGetNone) {
  const Result<LoadedPredictor> shipped = load_predictor({"", std::string(kDefaultPredictor), {}});
  ASSERT_TRUE(shipped.ok());
  KernelData data = few_kernels(*shipped.value().predictor).data;
  const std::size_t measured = data.samples.size();
  ASSERT_TRUE(add_prior(data).ok());
  EXPECT_GT(data.samples.size(), measured + 100);
  for (const KernelSample& sample : data.samples) EXPECT_FALSE(sample.is_single);
}

}  // namespace
}  // namespace wattree
