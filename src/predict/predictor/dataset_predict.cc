#include "src/predict/predictor/dataset_predict.h"

#include <cmath>

#include "src/predict/predictor/reconcile.h"

namespace wattree {
namespace {

// Relative standard deviations for reconciling; only their ratios matter. A reading repeats to
// about half a percent, a twin to one; a roofline is off by a few percent, what a module takes
// besides its children by a third, and by a hundredth of the module at least.
constexpr double kReadingError = 0.005;
constexpr double kTwinError = 0.01;
constexpr double kRooflineError = 0.04;
constexpr double kStandInError = 0.3;
constexpr double kOwnError = 0.3;
constexpr double kOwnFloor = 0.03;

Joules by_power_law(const PowerLaw& law, const NodeReading& r) {
  return r.gpu_energy * law.counter_factor +
         Watts(law.base_w + law.cpu_w_per_percent * r.cpu_percent) * r.time;
}

double square(double x) { return x * x; }

bool takes_reading(Known known, const WorkNode& node) {
  if (!node.reading) return false;
  switch (known) {
    case Known::kNothing: return false;
    case Known::kLeaves:
    case Known::kChildren: return node.level == TreeLevel::kMl;
    case Known::kNode: return true;
    case Known::kRoot: return node.level == TreeLevel::kModel;
  }
  return false;
}

}  // namespace

std::vector<DatasetEstimate> predict_tree(const Predictor& predictor, const TwinIndex& index,
                                          const std::vector<std::string>& types,
                                          const WorkTree& tree, const PredictOptions& options) {
  const std::size_t count = tree.nodes.size();
  std::vector<DatasetEstimate> out(count);
  std::vector<Evidence> evidence(count);
  std::vector<double> parts(count, 0.0);  // Sum of the children's energies, as estimated so far.
  for (std::size_t i = 0; i < count; ++i) {
    const WorkNode& node = tree.nodes[i];
    DatasetEstimate& estimate = out[i];
    Evidence& e = evidence[i];
    e.parent = node.parent;
    e.is_leaf = node.level == TreeLevel::kMl;
    Seconds time;
    if (e.is_leaf) {
      const Work& work = tree.works[node.works];
      const Twin* twin = options.use_twins
                             ? index.find(types[static_cast<std::size_t>(node.type)], work)
                             : nullptr;
      if (twin != nullptr) {
        e.own = {twin->energy.value, square(kTwinError * twin->energy.value)};
        time = twin->time;
        estimate.source = Source::kTwin;
      } else {
        const Price price = price_of(predictor, work);
        const double error = price.is_stand_in ? kStandInError : kRooflineError;
        e.own = {price.energy.value, square(error * price.energy.value)};
        time = price.time;
        estimate.source = price.is_stand_in ? Source::kStandIn : Source::kRoofline;
      }
    } else {
      for (std::uint32_t w = 0; w < node.work_count; ++w) {
        const Price price = price_of(predictor, tree.works[node.works + w]);
        e.own.mean += price.energy.value;
        time += price.time;
      }
      e.own.variance = square(kOwnError * e.own.mean) + square(kOwnFloor * (parts[i] + e.own.mean));
      estimate.source = Source::kSum;
    }
    estimate.time += time;
    if (takes_reading(options.known, node) && predictor.power_law) {
      const double reading = by_power_law(*predictor.power_law, *node.reading).value;
      e.reading = Gaussian{reading, square(kReadingError * reading)};
      // A leaf is what was read; only an inner node has parts that speak too.
      if (e.is_leaf) e.own = *e.reading, e.reading.reset();
      estimate.time = node.reading->time;
      estimate.source = Source::kReading;
    }
    if (node.parent >= 0) {
      const auto parent = static_cast<std::size_t>(node.parent);
      out[parent].time += estimate.time;
      parts[parent] += parts[i] + e.own.mean;
    }
  }

  const std::vector<double> total = reconcile(evidence);
  for (std::size_t i = 0; i < count; ++i) out[i].energy.value = total[i];
  if (options.known == Known::kChildren && predictor.power_law) {
    // Each inner node from its children's readings and its own kernels, whatever lies below them.
    std::vector<double> readings(count, 0.0);
    for (std::size_t i = 0; i < count; ++i) {
      const WorkNode& node = tree.nodes[i];
      const double reading =
          node.reading ? by_power_law(*predictor.power_law, *node.reading).value : total[i];
      if (node.parent >= 0) readings[static_cast<std::size_t>(node.parent)] += reading;
      if (!evidence[i].is_leaf) out[i].energy.value = readings[i] + evidence[i].own.mean;
    }
  }
  const auto& spread = predictor.spreads[static_cast<std::size_t>(options.known)];
  for (std::size_t i = 0; i < count; ++i) {
    out[i].own += out[i].energy;
    if (tree.nodes[i].parent >= 0) {
      out[static_cast<std::size_t>(tree.nodes[i].parent)].own -= out[i].energy;
    }
    if (spread) {
      out[i].spread = out[i].source == Source::kTwin
                          ? spread->twin_energy
                          : spread->energy[static_cast<std::size_t>(tree.nodes[i].level)];
    }
  }
  return out;
}

}  // namespace wattree
