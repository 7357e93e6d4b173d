#include "src/report/table/prediction_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "src/base/text.h"
#include "src/report/table/quantity.h"
#include "src/report/table/table.h"
#include "src/report/table/tree_rows.h"

namespace wattree {
namespace {

std::string_view phrase_of(Boundary boundary) {
  switch (boundary) {
    case Boundary::kGpu: return "GPU only";
    case Boundary::kHost: return "host, as far as it has counters";
    case Boundary::kWall: return "the whole machine";
    case Boundary::kFacility: return "the machine and its data centre";
  }
  return "";
}

std::string dollars(double value) {
  return value < 1 ? fmt::format("{:.2g}", value) : fmt::format("{:.2f}", value);
}
std::string percent(double share) { return fmt::format("{:.1f}", 100 * share); }

// What "*" and "=" mean, where they stand.
std::string footnotes(const Prediction& prediction) {
  const ModelTree& tree = prediction.built.tree;
  std::set<std::string> kinds;
  bool has_looked_up = false;
  for (std::size_t i = 0; i < prediction.nodes.size(); ++i) {
    const Node& node = tree.nodes()[i];
    has_looked_up = has_looked_up || prediction.nodes[i].is_looked_up;
    if (node.op != Op::kNone && prediction.nodes[i].stand_in > 0) {
      kinds.emplace(name_of(work_of(tree, node).kind));
    }
  }
  std::string out;
  if (!kinds.empty()) {
    out += fmt::format(
        "* nothing near was measured (kind {}): other kinds or sizes stand in for {:.1f} % of the "
        "energy, with a wider interval\n",
        join({kinds.begin(), kinds.end()}),
        100 * static_cast<double>(prediction.nodes.back().stand_in));
  }
  if (has_looked_up) out += "= looked up: the very same kernel was measured\n";
  return out;
}

}  // namespace

std::string basis_text(const LoadedPredictor& by) {
  return std::string(short_name_of(by.provenance().basis));
}

std::string prediction_headline(const LoadedPredictor& by, const Pass& pass, std::string_view per) {
  const Predictor& predictor = *by.predictor;
  const Boundary boundary = by.provenance().boundary;
  const std::string execution =
      predictor.is_by_kernel ? ", " + std::string(name_of(by.execution)) + " execution" : "";
  return fmt::format("{}{}, {}, {}, {} attention{}, per {}; {} by {} ({})",
                     boundary == Boundary::kGpu ? "1× " : "", predictor.hardware,
                     phrase_of(boundary), name_of(pass.precision), name_of(pass.attention),
                     execution, per, predictor.is_assumed ? "assumed" : "predicted", predictor.name,
                     by.origin);
}

std::string estimate_line(const PassEstimate& estimate, std::int64_t items,
                          std::optional<std::int64_t> tokens) {
  std::string out =
      fmt::format("{} {}", with_any_prefix(estimate.energy), plus_minus(estimate.energy_spread()));
  if (const auto power = estimate.power()) {
    out += fmt::format(" in {} {}, {} on average", with_any_prefix(estimate.time),
                       plus_minus(estimate.time_spread()), with_any_prefix(power->value, "W"));
  }
  const Joules per_item = estimate.energy_per(static_cast<double>(items));
  out += fmt::format("; {} per item", with_any_prefix(per_item));
  if (tokens) {
    out += fmt::format(", {} per token",
                       with_any_prefix(Joules(per_item.value / static_cast<double>(*tokens))));
  }
  return out;
}

std::string prediction_table(const Prediction& prediction, const TreeView& view, bool unfolds) {
  const ModelTree& tree = prediction.built.tree;
  const double whole = prediction.nodes.back().energy.value;
  const std::string basis = basis_text(prediction.by);
  std::vector<std::vector<std::string>> rows;
  for (const TreeRow& row : tree_rows(tree, view, unfolds)) {
    const NodeEstimate& node = prediction.nodes[row.node];
    const PassEstimate estimate = estimate_of(node) * static_cast<double>(row.times);
    const double share = whole > 0 ? estimate.energy.value / whole : 0;
    rows.push_back({row.label(), std::string(tree.nodes()[row.node].type),
                    prediction.has_times() ? with_any_prefix(estimate.time) : "–",
                    prediction.has_times() ? plus_minus(estimate.time_spread()) : "",
                    with_any_prefix(estimate.energy), plus_minus(estimate.energy_spread()),
                    fmt::format("{}{}", basis,
                                node.stand_in > 0   ? "*"
                                : node.is_looked_up ? "="
                                                    : ""),
                    percent(share), bar(share, kBarCells)});
  }
  return render_table({{"node"},
                       {"type"},
                       {"time", true},
                       {"90 %", true},
                       {"energy", true},
                       {"90 %", true},
                       {"basis"},
                       {"%", true},
                       {""}},
                      rows) +
         footnotes(prediction);
}

std::string groups_table(const std::vector<NodeGroup>& groups, std::string_view title,
                         const std::string& basis) {
  // Groups by type need no column of types.
  const bool has_types = std::any_of(groups.begin(), groups.end(),
                                     [](const NodeGroup& group) { return !group.type.empty(); });
  std::vector<Column> columns{{std::string(title)}};
  if (has_types) columns.push_back({"type"});
  for (const char* name : {"", "time", "energy"}) columns.push_back({name, true});
  columns.push_back({"basis"});
  columns.push_back({"%", true});
  columns.push_back({""});
  std::vector<std::vector<std::string>> rows;
  for (const NodeGroup& group : groups) {
    std::vector<std::string>& row = rows.emplace_back();
    row.push_back(group.name);
    if (has_types) row.push_back(group.type);
    row.insert(row.end(), {fmt::format("×{}", group.count), with_any_prefix(group.time),
                           with_any_prefix(group.energy), basis, percent(group.share),
                           bar(group.share, kBarCells)});
  }
  return render_table(columns, rows);
}

std::string sweep_table(const Sweep& sweep) {
  std::vector<std::vector<std::string>> rows;
  const auto add = [&](std::string batch, std::string length, const PassEstimate& e,
                       std::string per_item, std::string per_token, std::string memory) {
    const auto power = e.power();
    rows.push_back({std::move(batch), std::move(length), power ? with_any_prefix(e.time) : "–",
                    with_any_prefix(e.energy), plus_minus(e.energy_spread()),
                    power ? with_any_prefix(power->value, "W") : "–", std::move(per_item),
                    std::move(per_token), std::move(memory), basis_text(sweep.by)});
  };
  for (const SweepPoint& point : sweep.points) {
    const Joules per_item = point.estimate.energy_per(static_cast<double>(point.pass.batch));
    add(std::to_string(point.pass.batch), std::to_string(point.pass.seq), point.estimate,
        with_any_prefix(per_item),
        point.tokens ? with_any_prefix(Joules(per_item.value / static_cast<double>(*point.tokens)))
                     : "–",
        with_binary_prefix(point.memory.need.peak()) +
            (point.memory.fits() ? "" : " DOES NOT FIT"));
  }
  const auto per_token = sweep.mean_per_token();
  add("mean", "", sweep.mean, with_any_prefix(sweep.mean_per_item()),
      per_token ? with_any_prefix(*per_token) : "–", "");
  return render_table({{"batch", true},
                       {"length", true},
                       {"time", true},
                       {"energy", true},
                       {"90 %", true},
                       {"power", true},
                       {"per item", true},
                       {"per token", true},
                       {"memory"},
                       {"basis"}},
                      rows);
}

std::string totals_table(const QueryTotals& totals) {
  const TotalsOptions& options = totals.options;
  std::string out = fmt::format("{} queries, each {}", with_commas(options.queries), totals.query);
  if (options.passes_per_query != 1) out += fmt::format(", {:g} times", options.passes_per_query);
  out += fmt::format(": {} per query\n", with_any_prefix(totals.per_query.energy));
  std::vector<std::vector<std::string>> rows;
  for (const TotalsRow& row : totals.rows) {
    std::string name = row.part;
    if (row.part == "pue" && options.pue) name = fmt::format("PUE {:g}", options.pue->value);
    rows.push_back({name, fmt::format("{:.4g}", row.energy_kwh), dollars(row.cost_usd),
                    row.carbon_gco2e ? fmt::format("{:.4g}", *row.carbon_gco2e / 1000) : "–",
                    std::string(short_name_of(row.provenance.basis)), row.provenance.by});
  }
  out += render_table(
      {{"part"}, {"kWh", true}, {"USD", true}, {"kg CO2e", true}, {"basis"}, {"by"}}, rows);
  out += fmt::format("{:g} USD/kWh: assumed, {}", options.usd_per_kwh, options.price_by);
  if (options.grid) {
    out += fmt::format("; carbon: {}", options.grid->by);
  } else {
    out += "; carbon needs a <region>";
  }
  if (!options.pue) out += "; no <pue>: without the data centre's share";
  if (totals.is_host_left_out) out += "; the host is not counted without <host_watts>";
  return out + "\n";
}

}  // namespace wattree
