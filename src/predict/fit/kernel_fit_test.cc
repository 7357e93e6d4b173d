#include "src/predict/fit/kernel_fit.h"

#include <gtest/gtest.h>

#include <cmath>

#include "src/predict/predictor/predictor_file.h"

namespace wattree {
namespace {

using Subject = KernelSample::Subject;

Work linear(double m, double n, double k) {
  Work work;
  work.kind = WorkKind::kGemm;
  work.m = m;
  work.n = n;
  work.k = k;
  work.width = work.weight_width = 2;
  return work;
}

Work pointwise(double elements) {
  Work work;
  work.bytes = 4 * elements;
  work.elements = elements;
  return work;
}

// A device of known prices: 2 mJ a launch, 1 mJ a GFLOP and 3 mJ a MiB of pointwise traffic; and
// half a millijoule for every kernel that follows another. Times are a thousandth of that.
double true_energy(const Work& work) {
  return work.kind == WorkKind::kGemm ? 2e-3 + 1e-3 * 2 * work.m * work.n * work.k / 1e9
                                      : 2e-3 + 3e-3 * work.bytes / (1024 * 1024);
}
constexpr double kFollow = 0.5e-3;

KernelSample sample_of(Subject subject, std::vector<KernelSample::Kernel> kernels, int family) {
  KernelSample sample;
  sample.subject = subject;
  sample.kernels = std::move(kernels);
  for (const auto& [work, count] : sample.kernels) {
    sample.energy.value +=
        count * (true_energy(work) + (subject == Subject::kKernel ? 0 : kFollow));
  }
  sample.time.value = 1e-3 * sample.energy.value;
  sample.model = sample.family = subject == Subject::kKernel ? -1 : family;
  return sample;
}

KernelData known_device() {
  KernelData data;
  data.hardware = "Known";
  data.meter = "arithmetic";
  data.chip = {.processors = 10, .half_gflop_per_us = 0.1, .single_gflop_per_us = 0.01};
  data.idle_w = 100;
  data.models = data.families = {"a", "b", "c"};
  for (int i = 1; i <= 8; ++i) {
    const Work product = linear(64 * i, 128, 256 * i);
    const Work sum = pointwise(1e5 * i * i);
    data.samples.push_back(sample_of(Subject::kKernel, {{product, 1}}, 0));
    data.samples.push_back(sample_of(Subject::kKernel, {{sum, 1}}, 0));
    data.samples.push_back(
        sample_of(Subject::kPass, {{linear(96 * i, 512, 384), 12.0 + i}, {sum, 5}}, i % 3));
    data.samples.push_back(sample_of(Subject::kModule, {{product, 2}, {sum, 1}}, i % 3));
  }
  return data;
}

TEST(KernelFitTest, FindsThePricesOfAKnownDevice) {
  const KernelData data = known_device();
  const Predictor p = fit_kernels(data, Chosen(data.samples.size(), true)).value();
  EXPECT_NEAR(price_of(p, linear(500, 300, 700)).energy.value, true_energy(linear(500, 300, 700)),
              1e-5);
  EXPECT_NEAR(price_of(p, pointwise(3e6)).energy.value, true_energy(pointwise(3e6)), 1e-5);
  EXPECT_NEAR(price_to_follow(p).energy.value, kFollow, 1e-6);
  EXPECT_NEAR(price_to_follow(p).time.value, 1e-3 * kFollow, 1e-9);
}

TEST(KernelFitTest, TellsWhatFetchingAWeightTakes) {
  constexpr double kFetch = 0.3e-3;
  KernelData data = known_device();
  const std::size_t known = data.samples.size();
  EXPECT_FALSE(fit_kernels(data, Chosen(known, true)).value().find(WorkKind::kFetch));
  for (std::size_t i = 0; i < known; ++i) {
    KernelSample& sample = data.samples[i];
    double products = 0;
    for (const auto& kernel : sample.kernels) products += has_weight(kernel.work) * kernel.count;
    if (sample.subject == Subject::kPass) {
      KernelSample& small = data.samples.emplace_back(sample);
      small.weight_mib = 1;
    }
    data.samples[i].energy.value += kFetch * products;
    data.samples[i].time.value += 1e-3 * kFetch * products;
  }
  const Predictor p = fit_kernels(data, Chosen(data.samples.size(), true)).value();
  EXPECT_NEAR(price_to_fetch(p).energy.value, kFetch, 1e-6);
  EXPECT_NEAR(price_to_fetch(p).time.value, 1e-3 * kFetch, 1e-9);
  EXPECT_NEAR(price_of(p, linear(500, 300, 700)).energy.value, true_energy(linear(500, 300, 700)),
              1e-5);
  for (const KernelSample& sample : data.samples) {
    EXPECT_NEAR(predict_sample(p, sample).energy / sample.energy, 1, 2e-3);
  }
}

TEST(KernelFitTest, SharesWhatConvertingTakesBetweenKinds) {
  // Casts alone tell it, and it holds for a sum of different types: 1 mJ and 2 mJ a million.
  KernelData data = known_device();
  const auto converting = [](Work work) {
    work.converts = true;
    return work;
  };
  const auto cast = [](double elements) {
    Work work = pointwise(elements);
    work.kind = WorkKind::kCopy;
    work.detail = Work::Detail::kCast;
    return work;
  };
  const auto true_besides = [](const Work& work) { return 1e-3 + 2e-3 * work.elements / 1e6; };
  for (int i = 1; i <= 8; ++i) {
    const Work work = cast(2e5 * i);
    data.samples.push_back(sample_of(Subject::kKernel, {{work, 1}}, 0));
    KernelSample& slow = data.samples.emplace_back(data.samples.back());
    slow.kernels.front().work = converting(work);
    slow.energy.value += true_besides(work);
    slow.time.value = 1e-3 * slow.energy.value;
  }
  const Predictor p = fit_kernels(data, Chosen(data.samples.size(), true)).value();
  const Work sum = pointwise(7e5);
  EXPECT_NEAR(price_of(p, converting(sum)).energy.value - price_of(p, sum).energy.value,
              true_besides(sum), 1e-5);
}

TEST(KernelFitTest, AddsUpHowFarKernelsAreKnown) {
  const KernelData data = known_device();
  Predictor p = fit_kernels(data, Chosen(data.samples.size(), true)).value();
  p.spreads[0] = Spread{{0.4, 0, 0}, {0.4, 0, 0}, 0, 0, 0, 0};
  Coefficients& product = *p.kinds[static_cast<std::size_t>(WorkKind::kLinear16)];
  product.energy_spread = product.time_spread = 0.1;
  // 2 products at a tenth, and 3 sums at the four tenths of their level.
  const Work one = linear(500, 300, 700);
  const Work other = pointwise(3e6);
  const KernelSample pass = sample_of(Subject::kPass, {{one, 2}, {other, 3}}, 0);
  const double products_j = 2 * (true_energy(one) + kFollow);
  const double sums_j = 3 * (true_energy(other) + kFollow);
  EXPECT_NEAR(spread_of_kernels(p, pass).energy,
              (0.1 * products_j + 0.4 * sums_j) / (products_j + sums_j), 1e-4);
  product.energy_spread = 3;  // No interval is wider than the figure.
  EXPECT_EQ(spread_of_kernels(p, sample_of(Subject::kKernel, {{one, 1}}, 0)).energy, 1);
}

TEST(KernelFitTest, HoldsOutWhatTheGroupHas) {
  const KernelData data = known_device();
  const auto estimates = hold_out(data, LeaveOut::kFamily).value();
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    // Every kernel here is in some family's module.
    ASSERT_TRUE(estimates[i].has_value()) << i;
    EXPECT_NEAR(estimates[i]->energy.value / data.samples[i].energy.value, 1, 2e-3) << i;
  }
}

TEST(KernelFitTest, AKernelOfALeftOutFamilyIsNotLearntFrom) {
  KernelData data = known_device();
  // One kernel that lies, and that only family "a" has: predictions of "a" must not know of it.
  const Work odd = pointwise(7.5e6);
  KernelSample lie = sample_of(Subject::kKernel, {{odd, 1}}, 0);
  lie.energy.value *= 5;
  data.samples.push_back(lie);
  data.samples.push_back(sample_of(Subject::kPass, {{odd, 10}}, 0));
  const auto estimates = hold_out(data, LeaveOut::kFamily).value();
  EXPECT_NEAR(estimates.back()->energy.value / data.samples.back().energy.value, 1, 5e-3);
}

TEST(KernelFitTest, TheLimitStretchesTimeAndHoldsPower) {
  KernelData data = known_device();
  data.limit_w = 800;  // The known device would draw 1000 W.
  for (KernelSample& sample : data.samples) {
    if (sample.subject != Subject::kPass) continue;
    sample.is_capped = true;
    sample.time.value *= std::pow(1000.0 / 800, 0.6);
    sample.energy.value = 800 * sample.time.value;
  }
  const Predictor p = fit_kernels(data, Chosen(data.samples.size(), true)).value();
  ASSERT_TRUE(p.power_cap.has_value());
  EXPECT_NEAR(p.power_cap->exponent, 0.6, 0.026);
  for (const KernelSample& sample : data.samples) {
    if (sample.subject != Subject::kPass) continue;
    const SampleEstimate estimate = predict_sample(p, sample);
    EXPECT_NEAR(estimate.energy.value / estimate.time.value, 800, 1);
    EXPECT_NEAR(estimate.time / sample.time, 1, 0.02);
  }
}

TEST(KernelFitTest, EagerLaunchesCostTheHostsTime) {
  KernelData data = known_device();
  const std::size_t count = data.samples.size();
  for (std::size_t i = 0; i < count; ++i) {
    KernelSample eager = data.samples[i];
    if (eager.subject != Subject::kPass) continue;
    double kernels = 0;
    for (const auto& kernel : eager.kernels) kernels += kernel.count;
    eager.is_eager = true;
    eager.modules = 7;
    const double host_s = 3e-3 * kernels + 1e-3 * 7;
    eager.energy.value += 120 * (host_s - eager.time.value);
    eager.time.value = host_s;
    data.samples.push_back(eager);
  }
  const Predictor p = fit_kernels(data, Chosen(data.samples.size(), true)).value();
  ASSERT_TRUE(p.eager.has_value());
  EXPECT_NEAR(p.eager->per_kernel_s, 3e-3, 1e-5);
  EXPECT_NEAR(p.eager->waiting_w, 120, 0.5);
}

TEST(KernelFitTest, ATrainedPredictorIsTheSameAfterReading) {
  KernelData data = known_device();
  data.anchor = {Joules(0.7), "a protocol"};
  const Predictor p = train_kernels(data, "known").value().predictor;
  EXPECT_TRUE(p.is_by_kernel);
  EXPECT_EQ(p.dtypes, std::vector<std::string>{"bf16"});
  const std::string text = to_json(p);
  const Predictor again = parse_predictor(text, "known.json").value();
  EXPECT_EQ(to_json(again), text);
  EXPECT_TRUE(again.anchor.is_like(data.anchor));
  EXPECT_EQ(price_of(again, linear(10, 20, 30)).energy.value,
            price_of(p, linear(10, 20, 30)).energy.value);
}

TEST(KernelFitTest, NothingToFitIsAnError) {
  const KernelData data = known_device();
  EXPECT_FALSE(fit_kernels(data, Chosen(data.samples.size(), false)).ok());
}

}  // namespace
}  // namespace wattree
