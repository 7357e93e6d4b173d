#include "src/predict/fit/quick_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/predict/fit/primitives.h"
#include "src/predict/predictor/tree_predict.h"

namespace wattree {
namespace {

constexpr double kStep = 0.01;     // Of a factor: predictions are linear in it.
constexpr double kUnlikely = 1.5;  // Cards of one kind differ by some percent.
constexpr double kUnsteady = 1.3;  // A host that is left alone repeats to some percent.

// As much more or less as `to` is than `from`.
QuickReading scaled(const QuickReading& reading, const QuickReading& from, const QuickReading& to) {
  return {Joules(reading.energy.value * to.energy.value / from.energy.value),
          Seconds(reading.time.value * to.time.value / from.time.value)};
}

// A node of a tree, as a predictor sees it on the machine of an overlay.
Result<QuickReading> predict_node(const Predictor& predictor, const ModelTree& tree,
                                  std::size_t node, const MachineOverlay& overlay) {
  const Predictor here = with_overlay(predictor, overlay);
  const auto nodes = predict_tree(here, TwinIndex(here), tree);
  if (!nodes.ok()) return nodes.error();
  return QuickReading{nodes.value()[node].energy, nodes.value()[node].time};
}

// Something that is measured, and what an H200 read of it.
struct QuickSubject {
  const Predictor& predictor;
  const ModelTree& tree;
  std::size_t node;
  QuickReading read_on_h200;
  QuickReading predicted_of_h200;  // By the shipped predictor, which is off by the difference.
  QuickReading predicted;          // By the predictor, before any factor.

  static Result<QuickSubject> of(const Predictor& predictor, const ModelTree& tree,
                                 std::size_t node, const QuickReading& read_on_h200) {
    const auto shipped = load_predictor({{}, std::string(kDefaultPredictor), {}});
    if (!shipped.ok()) return shipped.error();
    const auto of_h200 = predict_node(*shipped.value().predictor, tree, node, {});
    if (!of_h200.ok()) return of_h200.error();
    const auto plain = predict_node(predictor, tree, node, {});
    if (!plain.ok()) return plain.error();
    return QuickSubject{predictor, tree, node, read_on_h200, of_h200.value(), plain.value()};
  }

  // What should be read where every factor is 1.
  QuickReading expected() const { return scaled(predicted, predicted_of_h200, read_on_h200); }

  // Sets a factor of the overlay so that what was measured is what is expected.
  Status solve(const QuickReading& measured, Factor MachineOverlay::*factor,
               MachineOverlay& overlay) const {
    const QuickReading wanted = scaled(measured, read_on_h200, predicted_of_h200);
    const Result<QuickReading> before = predict_node(predictor, tree, node, overlay);
    if (!before.ok()) return before.error();
    MachineOverlay more = overlay;
    more.*factor = {1 + kStep, 1 + kStep};
    const Result<QuickReading> after = predict_node(predictor, tree, node, more);
    if (!after.ok()) return after.error();
    const auto solved = [](double aim, double at_one, double at_more) {
      const double slope = (at_more - at_one) / kStep;
      if (slope <= 0) return 1.0;
      return std::clamp(1 + (aim - at_one) / slope, kLeastFactor, kMostFactor);
    };
    overlay.*factor = {
        solved(wanted.energy.value, before.value().energy.value, after.value().energy.value),
        solved(wanted.time.value, before.value().time.value, after.value().time.value)};
    return {};
  }
};

MachineOverlay::Reading reading_of(std::string what, const QuickReading& measured,
                                   const QuickReading& predicted) {
  return {std::move(what), measured.energy.value, predicted.energy.value, measured.time.value,
          predicted.time.value};
}

void warn_of(std::string_view what, double factor, std::vector<std::string>& warnings) {
  if (factor <= kUnlikely && factor >= 1 / kUnlikely) return;
  warnings.push_back("the factor of " + std::string(what) +
                     " is far from 1: is the predictor one of this hardware, and the machine not "
                     "busy?");
}

double mean_of(const std::vector<Seconds>& times) {
  double sum = 0;
  for (const Seconds time : times) sum += time.value;
  return sum / static_cast<double>(times.size());
}

double most_of(const std::vector<Seconds>& times) {
  return std::max_element(times.begin(), times.end())->value;
}

void warn_of_unsteady(const std::vector<Seconds>& launches, std::vector<std::string>& warnings) {
  const auto [least, most] = std::minmax_element(launches.begin(), launches.end());
  if (most->value <= kUnsteady * least->value) return;
  warnings.push_back("launching a kernel took " + fmt::format("{:.1f}", 1e6 * least->value) +
                     " to " + fmt::format("{:.1f}", 1e6 * most->value) +
                     " µs within seconds: something else uses this host, so that passes launched "
                     "one by one are hard to predict");
}

}  // namespace

Result<StreamKernel> stream_kernel() {
  Result<ModelTree> tree = primitive_tree(Precision::kBf16, {});
  if (!tree.ok()) return tree.error();
  StreamKernel out{std::move(tree).value(), 0};
  const auto nodes = out.tree.nodes();
  std::int64_t most = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    // Both as large as their sum: a smaller one would be read again and again.
    const auto inputs = out.tree.inputs(nodes[i]);
    if (nodes[i].op != Op::kAdd || nodes[i].bytes <= most || inputs[0].size != inputs[1].size) {
      continue;
    }
    most = nodes[i].bytes;
    out.node = static_cast<std::int32_t>(i);
  }
  return out;
}

Result<QuickFactors> quick_factors(const Predictor& predictor, const BuiltModel& anchor_pass,
                                   const StreamKernel& stream, const QuickReadings& readings) {
  QuickFactors out;
  MachineOverlay& overlay = out.overlay;
  const Result<QuickSubject> add = QuickSubject::of(
      predictor, stream.tree, static_cast<std::size_t>(stream.node), kStreamOnH200);
  if (!add.ok()) return add.error();
  const Result<QuickSubject> anchor = QuickSubject::of(
      predictor, anchor_pass.tree, anchor_pass.tree.nodes().size() - 1, kAnchorOnH200);
  if (!anchor.ok()) return anchor.error();

  if (readings.idle && predictor.idle_w > 0) {
    overlay.idle = std::clamp(readings.idle->value / predictor.idle_w, kLeastFactor, kMostFactor);
    overlay.readings.push_back({"idle for a second", readings.idle->value, predictor.idle_w, 1, 1});
  } else {
    out.warnings.emplace_back("idle power was not measured: its factor is 1");
  }
  if (const Status failure = add.value().solve(readings.stream, &MachineOverlay::memory, overlay);
      !failure.ok()) {
    return failure.error();
  }
  if (const Status failure =
          anchor.value().solve(readings.anchor, &MachineOverlay::compute, overlay);
      !failure.ok()) {
    return failure.error();
  }
  overlay.readings.push_back(
      reading_of("an addition that streams from memory", readings.stream, add.value().expected()));
  overlay.readings.push_back(reading_of(anchor_pass.model + ", bf16, " +
                                            std::to_string(anchor_pass.pass.batch) + " × " +
                                            std::to_string(anchor_pass.pass.seq),
                                        readings.anchor, anchor.value().expected()));
  if (readings.launches.empty()) {
    out.warnings.emplace_back("launches one by one were not measured: their factor is 1");
  } else if (!predictor.eager || predictor.eager->native_kernel_s <= 0) {
    out.warnings.emplace_back(
        "the predictor does not say what launching a kernel took where it "
        "was measured: the factor of launches is 1");
  } else {
    const double there_s = predictor.eager->native_kernel_s;
    const double here_s = mean_of(readings.launches);
    overlay.launch = std::clamp(here_s / there_s, kLeastFactor, kMostFactor);
    overlay.launch_swing = most_of(readings.launches) / here_s - 1;
    overlay.readings.push_back({"launching a kernel", 0, 0, here_s, there_s});
    warn_of_unsteady(readings.launches, out.warnings);
  }
  warn_of("arithmetic", overlay.compute.energy, out.warnings);
  warn_of("traffic", overlay.memory.energy, out.warnings);
  return out;
}

}  // namespace wattree
