#include "src/predict/evaluate/measurements.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

using Subject = KernelSample::Subject;

KernelSample sample_of(Subject subject, std::vector<KernelSample::Kernel> kernels, double energy_j,
                       double time_s) {
  KernelSample out;
  out.subject = subject;
  out.kernels = std::move(kernels);
  out.energy.value = energy_j;
  out.time.value = time_s;
  if (subject != Subject::kKernel) {
    out.model = out.family = 0;
    out.name = "a pass";
  }
  return out;
}

Work stream(double elements) {
  Work work;
  work.elements = elements;
  work.bytes = 8 * elements;
  return work;
}

TEST(CheckMeasurements, PartsOverTheWholeAndRepeats) {
  KernelData data;
  data.models = {"a"};
  data.families = {"a"};
  const Work small = stream(1000);
  const Work large = stream(1e6);
  data.samples.push_back(sample_of(Subject::kKernel, {{small, 1}}, 0.1, 1e-3));
  data.samples.push_back(sample_of(Subject::kKernel, {{large, 1}}, 0.4, 2e-3));
  // 3 x 0.1 J and 2 x 0.4 J are 1.1 J; 3 x 1 ms and 2 x 2 ms are 7 ms.
  data.samples.push_back(sample_of(Subject::kPass, {{small, 3}, {large, 2}}, 1.0, 8e-3));
  data.samples.push_back(sample_of(Subject::kPass, {{small, 3}, {large, 2}}, 1.04, 8e-3));
  // A pass that was launched one by one neither adds up nor repeats.
  data.samples.push_back(sample_of(Subject::kPass, {{small, 3}, {large, 2}}, 9, 1));
  data.samples.back().is_eager = true;
  const auto checks = check_measurements(data);
  ASSERT_TRUE(checks.ok()) << checks.error().message;
  ASSERT_EQ(checks.value().additivity.size(), 2U);
  EXPECT_NEAR(checks.value().additivity[0].covered, 1, 1e-9);
  EXPECT_NEAR(checks.value().additivity[0].energy, 1.1, 1e-9);
  EXPECT_NEAR(checks.value().additivity[0].time, 7.0 / 8, 1e-9);
  EXPECT_EQ(checks.value().repeats, 1);
  EXPECT_NEAR(checks.value().repeat_median, 4, 1e-9);
  EXPECT_NEAR(checks.value().repeat_most, 4, 1e-9);
}

TEST(CheckMeasurements, NothingToFitOnIsSaid) { EXPECT_FALSE(check_measurements({}).ok()); }

}  // namespace
}  // namespace wattree
