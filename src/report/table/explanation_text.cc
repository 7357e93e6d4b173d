#include "src/report/table/explanation_text.h"

#include <fmt/format.h>

#include "src/report/table/quantity.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

// The sizes that the terms are counted from.
std::string sizes_of(const Work& work) {
  switch (work.kind) {
    case WorkKind::kGemm:
    case WorkKind::kConvolution:
      return fmt::format("{:.0f} × {:.0f} by {:.0f} × {:.0f}, {:g} bytes an element, {:g} a weight",
                         work.m, work.k, work.k, work.n, work.width, work.weight_width);
    case WorkKind::kMatmul:
    case WorkKind::kAttention:
      return fmt::format(
          "{:g} products of {:.0f} × {:.0f} by {:.0f} × {:.0f}, {:g} bytes an element", work.groups,
          work.m, work.k, work.k, work.n, work.width);
    case WorkKind::kSoftmax:
      return fmt::format("{:.0f} rows, {} read and written", work.m, with_prefix(work.bytes, "B"));
    default: return fmt::format("{} read and written", with_prefix(work.bytes, "B"));
  }
}

std::string terms_table(const Explanation& explanation) {
  std::vector<std::vector<std::string>> rows;
  Joules energy;
  Seconds time;
  for (const ExplainedTerm& term : explanation.terms) {
    energy = energy + term.energy();
    time = time + term.time();
    rows.push_back({term.name, fmt::format("{:.5g}", term.count), term.unit,
                    "× " + with_any_prefix(term.energy_each), "= " + with_any_prefix(term.energy()),
                    "× " + with_any_prefix(term.time_each), "= " + with_any_prefix(term.time())});
  }
  rows.push_back(
      {"sum", "", "", "", "= " + with_any_prefix(energy), "", "= " + with_any_prefix(time)});
  return render_table({{"term"},
                       {"count", true},
                       {"unit"},
                       {"J each", true},
                       {"energy", true},
                       {"s each", true},
                       {"time", true}},
                      rows);
}

std::string kernel_text(const Explanation& explanation) {
  const Work& work = *explanation.work;
  std::string out = fmt::format("A kernel of kind {}: {}.\n", name_of(work.kind), sizes_of(work));
  if (explanation.twin) {
    out += fmt::format(
        "The very same kernel was measured, {} time{}: {} and {} were looked up, not computed.\n",
        explanation.twin->samples, explanation.twin->samples == 1 ? "" : "s",
        with_any_prefix(explanation.twin->energy), with_any_prefix(explanation.twin->time));
  }
  if (explanation.terms.empty()) return out;
  if (explanation.is_stand_in) {
    out += fmt::format(
        "The predictor has no coefficients for kind {}: those of {} stand in, and the interval is "
        "wider.\n",
        name_of(work.kind), name_of(explanation.priced_as));
  }
  if (explanation.is_far) {
    out += fmt::format(
        "It is more than four times as large, or as small, as any kernel of kind {} that was "
        "measured: the interval is wider.\n",
        name_of(explanation.priced_as));
  }
  out += fmt::format("{} the coefficients of kind {}, fitted to {} distinct measurements:\n",
                     explanation.twin ? "Without it, it would be computed from" : "Computed from",
                     name_of(explanation.priced_as), explanation.samples);
  return out + "\n" + terms_table(explanation);
}

std::string module_text(const Prediction& prediction, const Explanation& explanation) {
  const NodeEstimate& whole = prediction.nodes[explanation.node];
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::string name, std::string_view type, Joules energy, Seconds time) {
    const double percent = whole.energy > Joules() ? 100 * energy.value / whole.energy.value : 0.0;
    rows.push_back({std::move(name), std::string(type), with_any_prefix(time),
                    with_any_prefix(energy), fmt::format("{:.1f}", percent)});
  };
  Seconds time = whole.time;
  for (const std::size_t child : explanation.children) {
    const Node& node = prediction.built.tree.nodes()[child];
    add(std::string(node.scope) + (node.run >= 0 ? fmt::format("#{}", node.run) : ""), node.type,
        prediction.nodes[child].energy, prediction.nodes[child].time);
    time = time - prediction.nodes[child].time;
  }
  add("own: calling the module's kernels", "", whole.own, std::max(Seconds(), time));
  add("sum", "", whole.energy, whole.time);
  std::string out = "A module is the sum of its children and what it takes by itself:\n\n";
  out += render_table({{"part"}, {"type"}, {"time", true}, {"energy", true}, {"%", true}}, rows);
  if (!explanation.terms.empty()) out += "\nIts own, term by term:\n\n" + terms_table(explanation);
  return out;
}

}  // namespace

std::string explanation_text(const Prediction& prediction, const Explanation& explanation) {
  const Node& node = prediction.built.tree.nodes()[explanation.node];
  const PassEstimate estimate = estimate_of(prediction.nodes[explanation.node]);
  std::string out =
      fmt::format("{} ({}): {} {}", node.scope.empty() ? "the whole model" : node.scope, node.type,
                  with_any_prefix(estimate.energy), plus_minus(estimate.energy_spread()));
  if (prediction.has_times()) {
    out += fmt::format(" in {} {}", with_any_prefix(estimate.time),
                       plus_minus(estimate.time_spread()));
  }
  out +=
      fmt::format("\nThe 90 % interval goes from {} to {}.\n",
                  with_any_prefix(estimate.energy_low()), with_any_prefix(estimate.energy_high()));
  return out + (explanation.work ? kernel_text(explanation) : module_text(prediction, explanation));
}

}  // namespace wattree
