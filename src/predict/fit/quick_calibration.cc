#include "src/predict/fit/quick_calibration.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "src/predict/fit/primitives.h"
#include "src/predict/predictor/tree_predict.h"
#include "src/predict/regress/mean.h"

namespace wattree {
namespace {

constexpr double kStep = 0.01;     // Of a factor: predictions are linear in it.
constexpr double kUnlikely = 1.5;  // Cards of one kind differ by some percent.
constexpr double kUnsteady = 1.3;  // A host that is left alone repeats to some percent.
constexpr double kWaits = 1.5;     // A pass that takes so much longer waits for its host.

// As much more or less as `to` is than `from`.
QuickReading scaled(const QuickReading& reading, const QuickReading& from, const QuickReading& to) {
  return {Joules(reading.energy.value * to.energy.value / from.energy.value),
          Seconds(reading.time.value * to.time.value / from.time.value)};
}

// A node of a tree, as a predictor sees it on the machine of an overlay.
Result<QuickReading> predict_node(const Predictor& predictor, const ModelTree& tree,
                                  std::size_t node, const MachineOverlay& overlay,
                                  Execution execution = Execution::kGraph) {
  const Predictor here = with_overlay(predictor, overlay);
  const auto nodes = predict_tree(here, TwinIndex(here), tree, execution);
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

std::vector<double> over(const std::vector<Seconds>& times, double predicted_s) {
  std::vector<double> out;
  for (const Seconds time : times) out.push_back(time.value / predicted_s);
  return out;
}

// How much longer Python's launches took than predicted, at each moment: the mean of the passes
// that wait for their host. Empty: none does.
Result<std::vector<double>> python_factors(const Predictor& predictor,
                                           const std::vector<QuickReadings::Launched>& passes,
                                           MachineOverlay& overlay) {
  std::vector<std::vector<double>> by_pass;
  for (const QuickReadings::Launched& pass : passes) {
    const std::size_t root = pass.tree->nodes().size() - 1;
    const auto predicted = [&](Execution execution) {
      return predict_node(predictor, *pass.tree, root, overlay, execution);
    };
    const Result<QuickReading> busy = predicted(Execution::kGraph);
    if (!busy.ok()) return busy.error();
    const Result<QuickReading> launched = predicted(Execution::kEager);
    if (!launched.ok()) return launched.error();
    if (launched.value().time.value < kWaits * busy.value().time.value) continue;
    by_pass.push_back(over(pass.times, launched.value().time.value));
    overlay.readings.push_back({pass.what, 0, 0, mean(by_pass.back()) * launched.value().time.value,
                                launched.value().time.value});
  }
  std::vector<double> out;
  for (std::size_t moment = 0; !by_pass.empty() && moment < by_pass[0].size(); ++moment) {
    std::vector<double> now;
    for (const std::vector<double>& factors : by_pass) now.push_back(factors[moment]);
    out.push_back(mean(now));
  }
  return out;
}

void set_launch(const std::vector<double>& factors, QuickFactors& out) {
  const auto [least, most] = std::minmax_element(factors.begin(), factors.end());
  const double middle = mean(factors);
  out.overlay.launch = std::clamp(middle, kLeastFactor, kMostFactor);
  out.overlay.launch_swing = *most / middle - 1;
  if (*most <= kUnsteady * *least) return;
  out.warnings.push_back(fmt::format(
      "launching kernels took {:.2f} to {:.2f} times as long as predicted within seconds: this "
      "host is busy or shared, so that passes launched one by one are hard to predict",
      *least, *most));
}

// From what Python's launches took, or else this program's own.
Status read_launches(const Predictor& predictor, const QuickReadings& readings, QuickFactors& out) {
  const auto stay_one = [&](const std::string& why) {
    out.warnings.push_back(why + ": the factor of launches is 1");
    return Status();
  };
  if (!predictor.eager) return stay_one("the predictor does not know what launching kernels takes");
  if (!readings.python.empty()) {
    const auto factors = python_factors(predictor, readings.python, out.overlay);
    if (!factors.ok()) return factors.error();
    if (factors.value().empty()) return stay_one("no pass launched from Python waits for its host");
    set_launch(factors.value(), out);
    return {};
  }
  if (readings.launches.empty()) return stay_one("launches one by one were not measured");
  const double there_s = predictor.eager->native_kernel_s;
  if (there_s <= 0) {
    return stay_one(
        "the predictor does not say what launching a kernel took where it was measured");
  }
  const std::vector<double> factors = over(readings.launches, there_s);
  out.overlay.readings.push_back({"launching a kernel", 0, 0, mean(factors) * there_s, there_s});
  set_launch(factors, out);
  return {};
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
  if (const Status failure = read_launches(predictor, readings, out); !failure.ok()) {
    return failure.error();
  }
  warn_of("arithmetic", overlay.compute.energy, out.warnings);
  warn_of("traffic", overlay.memory.energy, out.warnings);
  return out;
}

}  // namespace wattree
