// Half of the 90 % interval of a node, by what it is made of (ADR 23).
#pragma once

#include <algorithm>
#include <cstddef>

#include "src/predict/predictor/mixture.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {

// From what was held out when the predictor was fitted, to which it holds a reference.
class LevelSpreads {
 public:
  struct Halves {
    float energy = 0;
    float time = 0;
  };
  LevelSpreads(const Predictor& predictor, bool is_single)
      : predictor_(predictor), is_single_(is_single) {
    const Spread spread = predictor.spread_of_unknown(is_single);
    const auto half = [](double value) { return static_cast<float>(std::min(1.0, value)); };
    const auto at = [&](std::size_t i) {
      return Halves{half(spread.energy[i]), half(spread.time[i])};
    };
    pass_ = at(2);
    twin_ = {half(spread.twin_energy), half(spread.twin_time)};
    of_kernels_ = {static_cast<float>(spread.energy_of_kernels),
                   static_cast<float>(spread.time_of_kernels)};
  }

  const Halves& twin() const { return twin_; }
  Halves of(const Price& kernel) const {
    const KernelSpread known = spread_of_kernel(predictor_, kernel, is_single_);
    return {static_cast<float>(known.energy), static_cast<float>(known.time)};
  }
  // Of a module or a model, by the energies and times of its kernels.
  Halves of(const NodeEstimate& node, const Mixture& energy, const Mixture& time) const {
    return {half(pass_.energy, of_kernels_.energy, energy.summary(), node.energy.value),
            half(pass_.time, of_kernels_.time, time.summary(), node.time.value)};
  }

 private:
  // `whole` is the kernels' sum, and what calling modules takes.
  static float half(float pass, float of_kernels, const Mixture::Summary& made_of, double whole) {
    const double share = made_of.sum > 0 ? made_of.sum / whole : 0;
    // What is made of badly known kernels is itself known badly.
    const double pass_half = std::max(static_cast<double>(pass),
                                      static_cast<double>(of_kernels) * made_of.halves * share);
    return static_cast<float>(
        std::min(1.0, half_of_mixture(pass_half, made_of.halves, made_of.concentration)));
  }

  const Predictor& predictor_;
  bool is_single_;
  Halves pass_;
  Halves of_kernels_;
  Halves twin_;
};

}  // namespace wattree
