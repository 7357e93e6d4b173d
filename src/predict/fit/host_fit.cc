#include "src/predict/fit/host_fit.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "src/predict/regress/median.h"
#include "src/predict/regress/relative_fit.h"

namespace wattree {
namespace {

constexpr std::size_t kColumns = 3;       // Kernels, library calls and modules.
constexpr std::size_t kEnoughPasses = 4;  // Passes, to say how quick a session's host is.
constexpr int kRounds = 4;
constexpr double kHostCoverage = 0.9;

std::array<double, kColumns> counts_of(const KernelSample& sample) {
  double kernels = 0;
  double calls = 0;
  for (const auto& [work, count] : sample.kernels) {
    kernels += count;
    if (is_library_call(work)) calls += count;
  }
  return {kernels, calls, static_cast<double>(sample.modules)};
}

// A pass that waited for its host.
struct Waited {
  const KernelSample* sample = nullptr;
  SampleEstimate busy;  // What the device has to do.
};

std::vector<Waited> waited_passes(const KernelData& data, const Chosen& chosen,
                                  const Predictor& predictor) {
  std::vector<Waited> out;
  for (std::size_t i = 0; i < data.samples.size(); ++i) {
    const KernelSample& sample = data.samples[i];
    if (!chosen[i] || !sample.is_eager) continue;
    const SampleEstimate busy = predict_sample(predictor, sample);
    // Otherwise the device is what takes the time.
    if (sample.time >= busy.time * 1.2) out.push_back({&sample, busy});
  }
  return out;
}

double native_kernel_s(const KernelData& data, std::int32_t session) {
  const auto at = static_cast<std::size_t>(session);
  return at < data.native_kernel_s.size() ? data.native_kernel_s[at] : 0;
}

// Those of sessions whose host was timed, where there are enough: in earlier ones reading the
// counter slowed the host, so that they only tell how far hosts may differ.
std::vector<Waited> undisturbed(const KernelData& data, const std::vector<Waited>& all) {
  std::vector<Waited> out;
  for (const Waited& each : all) {
    if (native_kernel_s(data, each.sample->session) > 0) out.push_back(each);
  }
  return out.size() >= kColumns ? out : all;
}

// How slow each session's host is, over the middle one.
using HostFactors = std::map<std::int32_t, double>;

HostFactors factors_of(const std::vector<Waited>& passes, const EagerHost& host) {
  std::map<std::int32_t, std::vector<double>> ratios;
  for (const Waited& each : passes) {
    const double predicted_s = launch_seconds(host, *each.sample);
    if (predicted_s > 0)
      ratios[each.sample->session].push_back(each.sample->time.value / predicted_s);
  }
  HostFactors out;
  std::vector<double> known;
  for (auto& [session, values] : ratios) {
    out[session] = 1;
    if (values.size() < kEnoughPasses) continue;
    out[session] = median(values);
    known.push_back(out[session]);
  }
  if (known.empty()) return out;
  const double middle = median(known);
  for (auto& [session, factor] : out) {
    if (ratios[session].size() >= kEnoughPasses) factor /= middle;
  }
  return out;
}

void fit_prices(const std::vector<Waited>& passes, const HostFactors& factors, EagerHost& host) {
  Rows rows(kColumns);
  std::vector<double> time;
  for (const Waited& each : passes) {
    rows.add(counts_of(*each.sample));
    time.push_back(each.sample->time.value / factors.at(each.sample->session));
  }
  const std::vector<double> prices = fit_relative(rows, time, time);
  host.per_kernel_s = prices[0];
  host.per_call_s = prices[1];
  host.per_module_s = prices[2];
}

// Of how far times are from predicted ones, relative to these.
double half_width(const std::vector<Waited>& passes, const HostFactors& factors,
                  const EagerHost& host) {
  std::vector<double> misses;
  for (const Waited& each : passes) {
    const double predicted_s =
        factors.at(each.sample->session) * launch_seconds(host, *each.sample);
    misses.push_back(std::abs(each.sample->time.value / predicted_s - 1));
  }
  std::sort(misses.begin(), misses.end());
  const auto at = static_cast<std::size_t>(
      std::ceil(kHostCoverage * static_cast<double>(misses.size() + 1)) - 1);
  return std::min(1.0, misses[std::min(at, misses.size() - 1)]);
}

}  // namespace

double launch_seconds(const EagerHost& host, const KernelSample& sample) {
  const auto [kernels, calls, modules] = counts_of(sample);
  return host.seconds(kernels, calls, modules);
}

SampleEstimate predict_launched(const Predictor& predictor, const KernelSample& sample) {
  SampleEstimate out = predict_sample(predictor, sample);
  const double waiting_s = launch_seconds(*predictor.eager, sample) - out.time.value;
  if (waiting_s <= 0) return out;
  out.energy += Watts(predictor.eager->waiting_w) * Seconds(waiting_s);
  out.time += Seconds(waiting_s);
  return out;
}

KernelSpread spread_of_launched(const Predictor& predictor, const KernelSample& sample) {
  const EagerHost& host = *predictor.eager;
  const SampleEstimate whole = predict_launched(predictor, sample);
  const double host_s = launch_seconds(host, sample);
  if (host_s < whole.time.value) return {};
  return {host.spread * host_s * host.waiting_w / whole.energy.value,
          host.spread * host_s / whole.time.value};
}

void fit_host(const KernelData& data, const Chosen& chosen, Predictor& predictor) {
  const std::vector<Waited> all = waited_passes(data, chosen, predictor);
  const std::vector<Waited> passes = undisturbed(data, all);
  if (passes.size() < kColumns) return;
  EagerHost host;
  HostFactors factors;
  HostFactors same;
  for (const Waited& each : passes) factors[each.sample->session] = 1;
  for (const Waited& each : all) same[each.sample->session] = 1;
  for (int round = 0; round < kRounds; ++round) {
    fit_prices(passes, factors, host);
    factors = factors_of(passes, host);
  }
  fit_prices(passes, factors, host);
  std::vector<double> waiting_w;
  for (const auto& [sample, busy] : passes) {
    waiting_w.push_back(((sample->energy - busy.energy) / (sample->time - busy.time)).value);
  }
  host.waiting_w = median(waiting_w);
  host.samples = static_cast<std::int64_t>(passes.size());
  host.spread = half_width(all, same, host);
  host.known_spread = half_width(passes, factors, host);
  std::vector<double> native;
  for (const auto& [session, factor] : factors) {
    const double native_s = native_kernel_s(data, session);
    if (native_s > 0) native.push_back(native_s / factor);
  }
  if (!native.empty()) host.native_kernel_s = median(native);
  predictor.eager = host;
}

}  // namespace wattree
