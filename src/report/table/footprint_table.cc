#include "src/report/table/footprint_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/in_quotes.h"
#include "src/base/text.h"
#include "src/report/document/equivalent_text.h"
#include "src/report/document/report_content.h"
#include "src/report/table/quantity.h"
#include "src/report/table/table.h"

namespace wattree {
namespace {

constexpr std::size_t kMaxRows = 24;

std::string percent(std::optional<double> part) {
  return part ? fmt::format("{:+.1f} %", 100 * *part) : "";
}

std::string setting_text(const Setting& setting, MassUnit unit) {
  std::string text = setting.grid ? to_text(*setting.grid, unit) : "no region";
  return text + (setting.pue ? ", PUE " + four_digits(setting.pue->value) : ", no PUE");
}

std::string ratio_text(const UncertainRatio& ratio) {
  std::string text = fmt::format("{:.3g}", ratio.value);
  if (ratio.low && ratio.high) text += fmt::format(" ({:.2g} to {:.2g})", *ratio.low, *ratio.high);
  return text;
}

}  // namespace

std::string footprint_headline(const Footprint& footprint) {
  return printable(footprint.profile.name + ": " +
                   epochs_text(footprint, hardware_text(footprint.profile))) +
         "\n";
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string out;
  for (const std::string& note : notes) {
    // One may have several lines.
    for (const std::string& line : split(note, '\n')) out += "note: " + printable(line) + "\n";
  }
  return out;
}

std::string figures_table(const Footprint& footprint, MassUnit unit) {
  const ReportContent content = report_content(footprint, unit);
  std::vector<std::vector<std::string>> rows;
  for (const ReportFigure& figure : content.figures) {
    const auto basis = parse_basis(figure.basis);
    rows.push_back({figure.what, figure.amount,
                    basis ? std::string(short_name_of(*basis)) : figure.basis, figure.boundary,
                    figure.by});
  }
  return render_table({{"figure"}, {"amount", true}, {"basis"}, {"boundary"}, {"from"}}, rows) +
         notes_text(content.notes);
}

std::string equivalents_table(GramsCo2e emissions, Joules energy) {
  std::vector<std::vector<std::string>> rows;
  for (const ShownEquivalent& shown : shown_equivalents(emissions, energy)) {
    rows.push_back({shown.amount, shown.equivalent->item, "pub", shown.source()});
  }
  return render_table({{"as much as", true}, {""}, {"basis"}, {"from"}}, rows);
}

std::string what_if_table(const WhatIfAnswer& answer, MassUnit unit, const FieldName& name) {
  const Curve& baseline = answer.baseline.curve;
  const Curve& alternative = answer.alternative.curve;
  std::string out = fmt::format(
      "baseline     {}; {}\nalternative  {}; {}\n", setting_text(answer.baseline.setting, unit),
      hardware_text(answer.baseline.profile), setting_text(answer.alternative.setting, unit),
      hardware_text(answer.alternative.profile));
  for (const HardwareChange& change : answer.changes) {
    out += fmt::format("hardware     {} -> {}: energy for the same work × {}, time × {}\n",
                       to_string(change.from), to_string(change.to),
                       ratio_text(change.energy_per_work), ratio_text(change.time_per_work));
    out += fmt::format("             assumed, by data sheets: {}\n", change.by);
  }
  if (!answer.changes.empty()) {
    const bool is_work = answer.keep == Keep::kWork;
    out += fmt::format(
        "             the {0} stays the same, so the {1} changes; {2} {3} keeps the {1}\n",
        is_work ? "work" : "duration", is_work ? "duration" : "work", name("keep"),
        is_work ? "hours" : "work");
  }
  const auto& before = baseline.points.back().elapsed;
  const auto& after = alternative.points.back().elapsed;
  if (before && after && *before != *after) {
    out += fmt::format("duration     {} -> {}\n", to_text(*before), to_text(*after));
  }
  const bool has_emissions =
      baseline.points.back().emissions && alternative.points.back().emissions;
  std::vector<Column> columns{{"epochs", true}, {"energy", true}, {"alternative", true}};
  if (has_emissions) {
    columns.insert(columns.end(), {{"CO2e", true}, {"alternative", true}});
  }
  columns.insert(columns.end(), {{has_emissions ? "CO2e change" : "energy change", true}, {""}});
  std::vector<std::vector<std::string>> rows;
  const std::vector<CurvePoint> left = shown_points(baseline, kMaxRows);
  const std::vector<CurvePoint> right = shown_points(alternative, kMaxRows);
  const auto value = [&](const CurvePoint& point) {
    return has_emissions ? point.emissions->value.value : point.energy.value.value;
  };
  const double most = std::max(value(left.back()), value(right.back()));
  // One unit for the columns that are compared.
  const EnergyUnit energy_unit =
      unit_for(std::max(left.back().energy.value, right.back().energy.value));
  const MassUnit mass_unit =
      has_emissions
          ? unit_for(std::max(left.back().emissions->value, right.back().emissions->value), unit)
          : unit;
  for (std::size_t i = 0; i < std::min(left.size(), right.size()); ++i) {
    std::vector<std::string> row{(left[i].is_extrapolated ? "~" : "") + row_name(left[i], ""),
                                 to_text(left[i].energy, energy_unit),
                                 to_text(right[i].energy, energy_unit)};
    if (has_emissions) {
      row.push_back(to_text(*left[i].emissions, mass_unit));
      row.push_back(to_text(*right[i].emissions, mass_unit));
    }
    row.push_back(percent(excess(Joules(value(right[i])), Joules(value(left[i])))));
    row.push_back(most > 0 ? bar(value(right[i]) / most, kBarCells) : "");
    rows.push_back(std::move(row));
  }
  out += render_table(columns, rows);
  const auto basis = [](const Curve& curve) {
    std::string text = fmt::format("energy {}, {}", name_of(curve.energy_basis.basis),
                                   name_of(curve.energy_basis.boundary));
    if (curve.emissions_basis) {
      text += fmt::format("; CO2e {}", name_of(curve.emissions_basis->basis));
    }
    return text;
  };
  out += fmt::format("basis: baseline {}; alternative {}\n", basis(baseline), basis(alternative));
  if (baseline.points.back().is_extrapolated) {
    out += "note: ~ is extrapolated by least squares, with a 95 % interval where epochs differ\n";
  }
  std::vector<std::string> notes = baseline.notes;
  for (const std::string& note : alternative.notes) {
    if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
  }
  return out + notes_text(notes);
}

std::string comparison_table(const std::vector<Footprint>& footprints, MassUnit unit,
                             std::optional<std::size_t> shared_epochs) {
  std::vector<std::vector<std::string>> rows;
  Joules most;
  for (const Footprint& footprint : footprints) {
    most = std::max(most, footprint.curve.points.back().device_energy.value);
  }
  const Joules first = footprints.front().curve.points.back().device_energy.value;
  const bool has_cost = footprints.front().setting.usd_per_kwh.has_value();
  for (const Footprint& footprint : footprints) {
    const CurvePoint& last = footprint.curve.points.back();
    std::vector<std::string>& row = rows.emplace_back(std::vector<std::string>{
        footprint.profile.name, fmt::format("{}{}", last.is_extrapolated ? "~" : "", last.epoch),
        last.elapsed ? to_text(*last.elapsed) : "", to_text(last.device_energy),
        std::string(short_name_of(footprint.curve.device_basis.basis)),
        std::string(name_of(footprint.curve.device_basis.boundary)),
        footprint.setting.pue ? to_text(last.energy) : "",
        last.emissions ? to_text(*last.emissions, unit) : "",
        last.emissions ? std::string(short_name_of(footprint.curve.emissions_basis->basis)) : "",
        footprint.setting.grid ? footprint.setting.grid->region : ""});
    if (has_cost) {
      row.push_back(four_digits(*cost_usd(last.energy.value, footprint.setting)) + " USD");
    }
    row.push_back(
        &footprint == &footprints.front() ? "" : percent(excess(last.device_energy.value, first)));
    row.push_back(most > Joules(0) ? bar(last.device_energy.value.value / most.value, kBarCells)
                                   : "");
  }
  std::vector<std::string> notes = comparison_notes(footprints, shared_epochs);
  if (has_cost) {
    notes.push_back("the cost is assumed: " + price_text(footprints.front().setting));
  }
  std::vector<Column> columns{
      {"run"},   {"epochs", true}, {"time", true},     {"device energy", true},
      {"basis"}, {"boundary"},     {"with PUE", true}, {"CO2e", true},
      {"basis"}, {"region"}};
  if (has_cost) columns.push_back({"cost", true});
  columns.push_back({"change", true});
  columns.push_back({""});
  return render_table(columns, rows) + notes_text(notes);
}

}  // namespace wattree
