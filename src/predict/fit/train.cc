#include "src/predict/fit/train.h"

#include <algorithm>
#include <cmath>

namespace wattree {
namespace {

// The mean of |P - G| / G in percent, from (P - G) / P.
double mean_percent(const std::vector<double>& errors, const std::vector<double>& more = {}) {
  double sum = 0;
  for (const double e : errors) sum += std::abs(e) / (1 - e);
  for (const double e : more) sum += std::abs(e) / (1 - e);
  const auto count = static_cast<double>(errors.size() + more.size());
  return count > 0 ? 100 * sum / count : 0;
}

}  // namespace

Result<Trained> train_predictor(const WorkTrees& trees, const TrainOptions& options) {
  const Samples samples(trees);
  const std::size_t models = trees.models.size();
  Result<Predictor> fitted = fit(samples, LeftOut(models, false), options.fit);
  if (!fitted.ok()) return fitted.error();
  Trained out{std::move(fitted).value(), trees.warnings};
  Predictor& p = out.predictor;
  p.name = options.name;
  p.hardware = options.hardware;
  p.meter = options.meter;
  p.boundary = options.boundary;
  p.dtypes = options.dtypes;

  std::array<HeldOut, kKnownCount> held_out;
  if (models > 1) {
    for (std::size_t m = 0; m < models; ++m) {
      LeftOut mask(models, false);
      mask[m] = true;
      const Result<Predictor> without = fit(samples, mask, options.fit);
      if (!without.ok()) continue;  // All that was measured belongs to this model.
      for (std::size_t k = 0; k < kKnownCount; ++k) {
        add_held_out(without.value(), samples, static_cast<std::int32_t>(m),
                     {static_cast<Known>(k), true}, held_out[k]);
      }
    }
  } else {
    out.warnings.push_back(
        "only one model: intervals come from the data the predictor was fitted on, and are too "
        "narrow for other models");
    for (std::size_t k = 0; k < kKnownCount; ++k) {
      add_held_out(p, samples, 0, {static_cast<Known>(k), false}, held_out[k]);
    }
  }
  for (std::size_t k = 0; k < kKnownCount; ++k) {
    HeldOut& h = held_out[k];
    if (h.energy[0].empty() && h.twin_energy.empty()) continue;
    p.errors[k] = Predictor::Errors{mean_percent(h.energy[0], h.twin_energy),
                                    mean_percent(h.energy[1]), mean_percent(h.energy[2])};
    p.spreads[k] = spread_of(std::move(h));
  }
  for (const WorkKind kind : kOverheadKinds) {
    if (p.find(kind) == nullptr && kind != WorkKind::kModuleCall) {
      out.warnings.push_back("no measured module has kernels of kind " +
                             std::string(name_of(kind)) +
                             ": others stand in for them, with wider intervals");
    }
  }
  return out;
}

}  // namespace wattree
