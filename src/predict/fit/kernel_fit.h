// Fits a predictor to kernels that were measured one by one and in whole passes: see ADR 16.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/predict/predictor/dataset_work.h"
#include "src/predict/predictor/predictor.h"

namespace wattree {

// One measurement: kernels that ran one after the other, again and again.
struct KernelSample {
  enum class Subject : std::uint8_t { kKernel, kModule, kPass, kStep };
  struct Kernel {
    Work work;
    double count = 1;
  };

  Subject subject = Subject::kKernel;
  std::vector<Kernel> kernels;
  std::int32_t modules = 0;  // That ran.
  // Of a pass: the weights it multiplies by. Those of modules and kernels take turns, so that none
  // is in the cache.
  double weight_mib = std::numeric_limits<double>::infinity();
  Joules energy;           // As if on the middle one of the cards that were measured,
  double card_factor = 1;  // times this on its own.
  Seconds time;
  bool is_capped = false;    // It ran at the power limit.
  bool is_rested = false;    // It had rest in between, so that no limit held it back.
  bool is_single = false;    // 32 bits; all of 16 bits have the same prices.
  std::string dtype;         // For people: "bf16".
  bool is_eager = false;     // Launched one by one.
  bool is_cold = false;      // A kernel that found nothing in the cache.
  bool is_assumed = false;   // Not measured: what stands in for a measurement, and weighs less.
  std::int32_t session = 0;  // In which it was measured, on one card.
  std::int32_t model = -1;   // Index in KernelData; -1: of no model.
  std::int32_t family = -1;
  std::string plan;  // The kind of work that it was measured for: "experts".
  std::string name;  // For people: "gpt2 16 x 128 bf16 sdpa".

  Joules raw_energy() const { return energy * card_factor; }
  bool is_pass() const { return subject == Subject::kPass || subject == Subject::kStep; }
  TreeLevel level() const {
    if (is_pass()) return TreeLevel::kModel;
    return subject == Subject::kModule ? TreeLevel::kModule : TreeLevel::kMl;
  }
  // A kernel by itself that is cold, or held back by the power limit, is not what a pass does.
  bool is_as_in_a_pass() const { return subject != Subject::kKernel || !(is_cold || is_capped); }
};

// What was measured on one kind of device.
struct KernelData {
  std::string hardware;
  std::string meter;
  Chip chip;
  double limit_w = 0;  // Of power; 0: not known.
  double idle_w = 0;
  CardAnchor anchor;  // On the middle card; not known unless it is for every session.
  std::vector<double> native_kernel_s;  // By session: see EagerHost; 0: not known.
  std::vector<std::string> models;
  std::vector<std::string> families;
  std::vector<KernelSample> samples;
};

// Which samples to learn from.
using Chosen = std::vector<bool>;

// Energies and times of kernels, in passes and alone, by one non-negative fit of relative errors
// over all of them; then the power limit and the host. Intervals and errors come from
// hold_out(). Fails where nothing is left to fit on.
Result<Predictor> fit_kernels(const KernelData& data, const Chosen& chosen);

struct SampleEstimate {
  Joules energy;
  Seconds time;
};
// As a graph, however it was launched.
SampleEstimate predict_sample(const Predictor& predictor, const KernelSample& sample);

// All that each kernel takes where it ran, and how often it did.
struct PricedKernel {
  Price price;
  double count = 1;
};
std::vector<PricedKernel> price_kernels(const Predictor& predictor, const KernelSample& sample);

// What the half-widths of its kernels add up to, relative to what they take together.
KernelSpread spread_of_kernels(const Predictor& predictor, const KernelSample& sample);

enum class LeaveOut : std::uint8_t { kModel, kFamily };

// Every sample of a pass, step or module, predicted by a fit that has seen neither its model (or
// family) nor any single kernel of that; every sample of a single kernel by a fit without the
// kernels of its kind and sizes, and where no model has it, without those of its kind that take
// about as long. Nothing where a sample was not held out. Fits see only the samples that are
// `known` [all].
using HeldOutSamples = std::vector<std::optional<SampleEstimate>>;
Result<HeldOutSamples> hold_out(const KernelData& data, LeaveOut what, const Chosen& known = {});

// Sets the intervals of a predictor that was fitted on everything, from what was held out.
void set_intervals(const KernelData& data, const HeldOutSamples& held_out, Predictor& predictor);

// Fit on everything, with intervals and errors from families that were held out.
struct TrainedKernels {
  Predictor predictor;
  HeldOutSamples held_out;
};
Result<TrainedKernels> train_kernels(const KernelData& data, const std::string& name);

}  // namespace wattree
