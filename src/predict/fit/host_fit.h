// What hosts take to launch kernels one by one, from passes that were launched so.
#pragma once

#include "src/predict/fit/kernel_fit.h"

namespace wattree {

// What launching a sample takes the host.
double launch_seconds(const EagerHost& host, const KernelSample& sample);

// The sample launched one by one: the device waits wherever the host is slower. The predictor must
// know a host.
SampleEstimate predict_launched(const Predictor& predictor, const KernelSample& sample);
// Half of its 90 % interval, relative: what the host's speed may be off by.
KernelSpread spread_of_launched(const Predictor& predictor, const KernelSample& sample);

// Hosts differ, and every session has one: prices are those of the middle one of the hosts that
// were timed. Sets nothing where fewer than three passes waited for the host.
void fit_host(const KernelData& data, const Chosen& chosen, Predictor& predictor);

}  // namespace wattree
