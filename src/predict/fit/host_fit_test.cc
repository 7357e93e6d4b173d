#include "src/predict/fit/host_fit.h"

#include <gtest/gtest.h>

namespace wattree {
namespace {

constexpr double kKernel = 10e-6;
constexpr double kCall = 8e-6;
constexpr double kModule = 5e-6;

KernelSample launched(double kernels, double products, int modules, int session, double slower) {
  KernelSample out;
  out.subject = KernelSample::Subject::kPass;
  out.is_eager = true;
  out.session = session;
  out.modules = modules;
  Work add;
  add.bytes = 1024;
  Work product;
  product.kind = WorkKind::kGemm;
  product.m = product.n = product.k = 8;
  out.kernels = {{add, kernels - products}, {product, products}};
  out.time.value = slower * (kernels * kKernel + products * kCall + modules * kModule);
  out.energy.value = 130 * out.time.value;
  return out;
}

// Two hosts, one of them twice as slow, and a device that takes no time.
KernelData two_hosts() {
  KernelData data;
  int i = 0;
  for (const double kernels : {100.0, 150.0, 240.0, 300.0, 650.0}) {
    for (const int session : {0, 1}) {
      const double products = kernels / (2 + i % 3);
      data.samples.push_back(
          launched(kernels, products, 50 + 37 * i, session, session == 0 ? 1 : 2));
      ++i;
    }
  }
  data.native_kernel_s = {4e-6, 8e-6};
  return data;
}

TEST(HostFit, TellsHostsFromPrices) {
  const KernelData data = two_hosts();
  Predictor predictor;
  predictor.is_by_kernel = true;
  fit_host(data, Chosen(data.samples.size(), true), predictor);
  ASSERT_TRUE(predictor.eager);
  const EagerHost& host = *predictor.eager;
  // The middle of the two hosts.
  EXPECT_NEAR(host.per_kernel_s, 1.5 * kKernel, 1e-7);
  EXPECT_NEAR(host.per_call_s, 1.5 * kCall, 1e-7);
  EXPECT_NEAR(host.per_module_s, 1.5 * kModule, 1e-7);
  EXPECT_NEAR(host.waiting_w, 130, 1e-6);
  EXPECT_NEAR(host.native_kernel_s, 6e-6, 1e-8);
  // A host that is not known is a third off, and one that is known is not.
  EXPECT_NEAR(host.spread, 1.0 / 3, 1e-3);
  EXPECT_LT(host.known_spread, 1e-3);
  EXPECT_EQ(host.samples, 10);
}

TEST(HostFit, HostsThatWereNotTimedOnlyTellHowFarHostsDiffer) {
  KernelData data = two_hosts();
  data.native_kernel_s = {4e-6, 0};
  Predictor predictor;
  predictor.is_by_kernel = true;
  fit_host(data, Chosen(data.samples.size(), true), predictor);
  ASSERT_TRUE(predictor.eager);
  EXPECT_NEAR(predictor.eager->per_kernel_s, kKernel, 1e-7);
  EXPECT_NEAR(predictor.eager->native_kernel_s, 4e-6, 1e-8);
  EXPECT_NEAR(predictor.eager->spread, 1, 1e-3);
  EXPECT_LT(predictor.eager->known_spread, 1e-3);
}

TEST(HostFit, ADeviceWaitsForItsHost) {
  Predictor predictor;
  predictor.is_by_kernel = true;
  EagerHost host;
  host.per_kernel_s = kKernel;
  host.per_call_s = kCall;
  host.per_module_s = kModule;
  host.waiting_w = 100;
  host.spread = 0.5;
  predictor.eager = host;
  const KernelSample sample = launched(100, 40, 20, 0, 1);
  const SampleEstimate estimate = predict_launched(predictor, sample);
  EXPECT_NEAR(estimate.time.value, sample.time.value, 1e-12);
  EXPECT_NEAR(estimate.energy.value, 100 * sample.time.value, 1e-9);
  EXPECT_NEAR(spread_of_launched(predictor, sample).time, 0.5, 1e-9);
}

TEST(HostFit, FewPassesSetNothing) {
  KernelData data = two_hosts();
  data.samples.resize(2);
  Predictor predictor;
  predictor.is_by_kernel = true;
  fit_host(data, Chosen(data.samples.size(), true), predictor);
  EXPECT_FALSE(predictor.eager);
}

}  // namespace
}  // namespace wattree
