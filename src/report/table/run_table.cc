#include "src/report/table/run_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "src/base/amounts.h"
#include "src/base/in_quotes.h"
#include "src/base/text.h"
#include "src/report/document/equivalent_text.h"
#include "src/report/document/report_content.h"
#include "src/report/table/quantity.h"
#include "src/report/table/table.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {
namespace {

// What all windows of a run say of one component.
struct Part {
  Joules energy, idle, uncertainty;
  bool has_idle = true;
  ComponentEnergy first;
};

struct Parts {
  std::vector<std::string> order;
  std::map<std::string, Part> by_name;
};

void add(const Epoch& epoch, Parts& parts) {
  for (const ComponentEnergy& energy : epoch.energy) {
    if (!parts.by_name.contains(energy.component)) {
      parts.order.push_back(energy.component);
      parts.by_name[energy.component].first = energy;
    }
    Part& part = parts.by_name[energy.component];
    part.energy = part.energy + energy.energy;
    part.has_idle = part.has_idle && energy.idle;
    part.idle = part.idle + energy.idle.value_or(Joules());
    part.uncertainty = part.uncertainty + energy.uncertainty.value_or(Joules());
  }
}

std::string energy_text(Joules energy, Joules uncertainty) {
  std::string out = to_text(energy);
  // Below a thousandth it is not worth the place.
  if (uncertainty.value > 1e-3 * energy.value) out += " ± " + to_text(uncertainty);
  return out;
}

std::vector<std::string> row(const std::string& name, Joules energy, Joules uncertainty,
                             std::optional<Joules> idle, std::string gap, const Provenance& basis) {
  return {name,
          energy_text(energy, uncertainty),
          idle ? to_text(*idle) : "?",
          idle ? to_text(energy - *idle) : "?",
          std::move(gap),
          std::string(short_name_of(basis.basis)),
          std::string(name_of(basis.boundary)),
          basis.by};
}

// What the run's totals say of a meter; nothing where they do not have it.
const MeterEnergy* total_of(const TrackedRun& run, const std::string& name) {
  const std::vector<RunMeter>& meters = run.begun().meters;
  for (const MeterEnergy& total : run.totals().meters) {
    const auto index = static_cast<std::size_t>(total.meter);
    if (index < meters.size() && meters[index].name == name) return &total;
  }
  return nullptr;
}

std::string component_table(const TrackedRun& run, const Setting& setting) {
  const Profile profile = run.profile();
  Parts parts;
  for (const Epoch& epoch : profile.epochs) add(epoch, parts);
  // The whole run: what is known of it best is its own totals, not the sum of its parts.
  if (profile.outside) add(*profile.outside, parts);
  if (parts.order.empty()) return "";
  std::vector<std::vector<std::string>> rows;
  Part all;
  std::optional<Provenance> basis;
  for (const std::string& name : parts.order) {
    const Part& part = parts.by_name[name];
    Joules uncertainty = part.uncertainty;
    std::string gap;
    if (const MeterEnergy* total = total_of(run, name)) {
      uncertainty = Joules(0.5 * (total->high.value - total->low.value));
      const Seconds missing = run.duration() - total->covered;
      if (missing > Seconds(1e-3)) gap = to_text(missing);
    }
    const Provenance& source = part.first.provenance;
    rows.push_back(row(name, part.energy, uncertainty,
                       part.has_idle ? std::optional(part.idle) : std::nullopt, gap, source));
    all.energy = all.energy + part.energy;
    all.idle = all.idle + part.idle;
    all.has_idle = all.has_idle && part.has_idle;
    all.uncertainty = all.uncertainty + uncertainty;
    basis = basis ? of_sum(*basis, source) : source;
  }
  const auto idle = all.has_idle ? std::optional(all.idle) : std::nullopt;
  if (rows.size() > 1) {
    rows.push_back(row("sum", all.energy, all.uncertainty, idle, "", *basis));
  }
  if (setting.pue) {
    const double pue = setting.pue->value;
    rows.push_back(row("with PUE " + four_digits(pue), all.energy * pue, all.uncertainty * pue,
                       idle ? std::optional(*idle * pue) : std::nullopt, "",
                       facility_provenance(*basis, *setting.pue)));
  }
  return render_table({{"component"},
                       {"energy", true},
                       {"idle", true},
                       {"above idle", true},
                       {"gap", true},
                       {"basis"},
                       {"boundary"},
                       {"from"}},
                      rows);
}

// What all epochs took together; only the time where no meter has said anything.
std::string epochs_line(const TrackedRun& run) {
  if (run.epochs().empty()) return "";
  const double each = 1.0 / static_cast<double>(run.epochs().size());
  Joules doubt;
  Seconds time;
  for (const EpochMeasured& epoch : run.epochs()) {
    time = time + Seconds(seconds(epoch.ended - epoch.begun));
    for (const MeterEnergy& part : epoch.meters) doubt = doubt + (part.high - part.low) * 0.5;
  }
  if (!run.energy()) {
    return fmt::format("epochs: {} in all, {} each; no energy is known\n", to_text(time),
                       to_text(time * each));
  }
  const Joules inside = run.epoch_sums().energy();
  return fmt::format("epochs: {} in all, {} each; {} outside of them\n", to_text(inside),
                     energy_text(inside * each, doubt * each),
                     to_text(std::max(*run.energy() - inside, Joules())));
}

std::string cost_text(const RunStatus& status, const Setting& setting) {
  if (!status.energy || !setting.usd_per_kwh) return "";
  return fmt::format("cost: {} USD ({}), assumed\n",
                     four_digits(*cost_usd(*status.energy, setting)), price_text(setting));
}

std::string carbon_text(const RunStatus& status, const Setting& setting) {
  if (!status.emissions) return "";
  std::string out =
      fmt::format("CO2e: {} ({}), {}\n      intensity: {}\n", to_text(*status.emissions),
                  to_text(*setting.grid), name_of(*status.emissions_basis), setting.grid->by);
  const auto shown = shown_equivalents(*status.emissions, status.energy.value_or(Joules(0)));
  if (!shown.empty()) {
    out += "      as much as " + to_text(shown.front()) + " (" + shown.front().source() + ")\n";
  }
  return out;
}

// A part of the live line; where there is no room for all, the lightest go first.
struct LivePart {
  std::string text;
  int weight = 0;
};

std::string epoch_text(const RunStatus& status) {
  std::string out = fmt::format("epoch {}", status.epochs_ended + (status.epoch.empty() ? 0 : 1));
  if (status.planned_epochs) out += fmt::format("/{}", *status.planned_epochs);
  return out;
}

std::vector<LivePart> live_parts(const RunStatus& status) {
  std::vector<LivePart> parts{{"wattree", 3}};
  if (status.power) parts.push_back({with_any_prefix(status.power->value, "W"), 5});
  std::string energy = status.energy ? to_text(*status.energy) : "no energy known";
  if (status.energy && status.basis.basis != Basis::kMeasured) {
    energy += fmt::format(" ({})", name_of(status.basis.basis));
  }
  parts.push_back({std::move(energy), 9});
  if (status.emissions) parts.push_back({to_text(*status.emissions) + " CO2e", 6});
  if (!status.epoch.empty() || status.epochs_ended > 0 || status.planned_epochs) {
    parts.push_back({epoch_text(status), 7});
  }
  if (const auto& all = status.projected_energy) {
    parts.push_back({"in all ~" + to_text(all->value), 4});
    if (all->low && all->high) {
      parts.push_back({fmt::format("({} to {})", to_text(*all->low), to_text(*all->high)), 1});
    }
  }
  parts.push_back({to_text(status.elapsed), 2});
  if (status.state == RunState::kPaused) {
    parts.push_back({"paused", 8});
  } else if (status.state == RunState::kWaiting) {
    parts.push_back({"pauses at the next epoch", 8});
  }
  return parts;
}

std::string step_table(const TrackedRun& run) {
  if (run.steps().empty()) return "";
  std::vector<std::vector<std::string>> rows;
  for (const auto& [name, steps] : run.steps()) {
    const double count = static_cast<double>(steps.count);
    const Joules doubt(0.5 * (steps.high.value - steps.low.value));
    rows.push_back({name, std::to_string(steps.count), to_text(steps.duration),
                    steps.energy ? energy_text(*steps.energy, doubt) : "?",
                    steps.energy ? to_text(*steps.energy * (1.0 / count)) : "?"});
  }
  return "\n" +
         render_table({{"step"}, {"times", true}, {"time", true}, {"energy", true}, {"each", true}},
                      rows);
}

}  // namespace

std::string live_text(const RunStatus& status, std::size_t columns) {
  std::vector<LivePart> parts = live_parts(status);
  while (true) {
    std::string out;
    for (const LivePart& part : parts) out += (out.empty() ? "" : "  ") + printable(part.text);
    if (display_width(out) <= columns || parts.size() < 2) return out;
    // A part that does not fit is left out whole: half a number would be a wrong one.
    parts.erase(std::min_element(parts.begin(), parts.end(),
                                 [](const auto& a, const auto& b) { return a.weight < b.weight; }));
  }
}

std::string summary_text(const TrackedRun& run, const Setting& setting, const FieldName& name) {
  const RunStatus status = status_of(run, setting);
  std::string out = fmt::format("wattree: {}: ", printable(status.name));
  if (const std::size_t epochs = run.epochs().size(); epochs > 0) {
    out += fmt::format("{} epoch{}, ", epochs, epochs == 1 ? "" : "s");
  }
  out += to_text(status.elapsed);
  if (status.exit_code) {
    out += fmt::format(", exit code {}", *status.exit_code);
  }
  const std::string components = component_table(run, setting);
  out += "\n" + components;
  if (!components.empty() && !run.idle()) {
    out += "idle: not measured; " + name("idle") + " 5s measures it before the command begins\n";
  }
  return out + epochs_line(run) + cost_text(status, setting) + carbon_text(status, setting) +
         step_table(run);
}

}  // namespace wattree
