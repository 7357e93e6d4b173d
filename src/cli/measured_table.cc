#include "src/cli/measured_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"
#include "src/report/table/quantity.h"
#include "src/report/table/table.h"
#include "src/report/table/tree_table.h"

namespace wattree {
namespace {

constexpr const char* kUnknown = "–";

struct Row {
  const DistinctNode* distinct;
  const Node* node;
  const NodeFigures* figures;
  double share = 0;  // Of the pass: in energy, or in time where there is none.
  int group() const { return node->level == Level::kModel ? 0 : distinct->kernels > 1 ? 1 : 2; }
};

std::vector<Row> rows_of(const MeasuredPass& pass) {
  const std::int32_t root = pass.distinct.of.back();
  const NodeFigures* whole = root >= 0 && pass.in_place[static_cast<std::size_t>(root)]
                                 ? &*pass.in_place[static_cast<std::size_t>(root)]
                                 : nullptr;
  std::vector<Row> rows;
  for (std::size_t i = 0; i < pass.distinct.nodes.size(); ++i) {
    if (!pass.in_place[i]) continue;
    const DistinctNode& distinct = pass.distinct.nodes[i];
    Row row{&distinct, &pass.tree.tree.nodes()[static_cast<std::size_t>(distinct.node)],
            &*pass.in_place[i]};
    if (whole != nullptr) {
      const auto count = static_cast<double>(distinct.count);
      row.share = whole->energy && row.figures->energy
                      ? count * row.figures->energy->value / whole->energy->value
                      : count * row.figures->time.value / whole->time.value;
    }
    rows.push_back(row);
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return a.group() != b.group() ? a.group() < b.group() : a.share > b.share;
  });
  return rows;
}

std::string marks(const NodeFigures& f) {
  std::vector<std::string> out;
  if (f.is_paused) out.emplace_back("with rest");
  if (f.is_capped) out.emplace_back("at the cap");
  if (f.execution == Execution::kEager) out.emplace_back("eager");
  if (!f.is_settled) out.emplace_back("not settled");
  if (!f.doubts.empty() && f.is_settled) out.emplace_back("doubtful");
  return join(out);
}

}  // namespace

std::string measured_headline(const MeasuredPass& pass) {
  const BuiltModel& tree = pass.tree;
  const MachineFacts& machine = pass.campaign.session.machine;
  const std::string covers = machine.boundary == "gpu"    ? "GPU alone"
                             : machine.boundary == "host" ? "host, as far as it has counters"
                                                          : "times only";
  std::string out = fmt::format(
      "{} of {} on {} ({}): {}, {}, one {}\n", tree.class_name, tree.model, machine.device.name,
      covers, name_of(tree.pass.precision), name_of(tree.pass.attention), pass_phrase(tree));
  if (!machine.meters.empty()) {
    out += fmt::format("measured by {}; idle {:.1f} W is in it\n", join(machine.meters),
                       pass.campaign.session.idle.power.value_or(Watts()).value);
  }
  return out;
}

std::string measured_table(const MeasuredPass& pass) {
  std::vector<std::vector<std::string>> cells;
  for (const Row& row : rows_of(pass)) {
    const NodeFigures& f = *row.figures;
    const std::string scope(row.node->scope);
    cells.push_back(
        {scope.empty() ? pass.tree.class_name : scope, std::string(row.node->type),
         row.distinct->count > 1 ? fmt::format("×{}", row.distinct->count) : "",
         f.energy ? with_any_prefix(f.energy->value, "J") : kUnknown,
         with_any_prefix(f.time.value, "s"),
         f.energy ? fmt::format("{:.0f} W", (*f.energy / f.time).value) : kUnknown,
         row.share > 0 ? fmt::format("{:.1f}", 100 * row.share) : kUnknown,
         fmt::format("{:.2f}", 100 * f.relative_error),
         f.resources.sm_clock_mhz ? fmt::format("{:.0f}", *f.resources.sm_clock_mhz) : kUnknown,
         f.energy ? "meas" : "", marks(f)});
  }
  return render_table({{"node (the first of its kind)"},
                       {"type"},
                       {"", true},
                       {"energy", true},
                       {"time", true},
                       {"power", true},
                       {"% of pass", true},
                       {"± %", true},
                       {"MHz", true},
                       {"basis"},
                       {""}},
                      cells);
}

std::string additivity_text(const MeasuredPass& pass) {
  const SumOfParts& ops = pass.ops;
  if (ops.time <= 0) return "";
  std::string out = "the kernels, each by itself, add up to ";
  if (ops.energy > 0) out += fmt::format("{:.1f} % of the energy and ", 100 * ops.energy);
  out += fmt::format("{:.1f} % of the time of the pass", 100 * ops.time);
  if (ops.known < ops.kernels) {
    out += fmt::format(" ({} of {} were measured)", ops.known, ops.kernels);
  }
  return out + "\n";
}

}  // namespace wattree
