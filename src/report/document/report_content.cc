#include "src/report/document/report_content.h"

#include <fmt/format.h>

#include <algorithm>

#include "src/base/text.h"
#include "src/base/version.h"
#include "src/report/document/equivalent_text.h"

namespace wattree {
namespace {

std::string plural(std::size_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string with_time(const std::string& text, const std::optional<Seconds>& time) {
  return time ? text + ", " + to_text(*time) : text;
}

// What the run took, or would take: nothing that is extrapolated was used.
std::string taken(const Footprint& footprint, MassUnit unit) {
  const CurvePoint& last = footprint.curve.points.back();
  const Setting& setting = footprint.setting;
  const bool is_ahead = last.is_extrapolated;
  std::string text =
      fmt::format("{} {} of electricity", is_ahead ? "would use" : "used", to_text(last.energy));
  if (setting.pue) {
    text += fmt::format(", which is {} at the devices times a PUE of {}",
                        to_text(last.device_energy), four_digits(setting.pue->value));
  }
  if (last.emissions) {
    text += fmt::format(", and {} {} CO2e ({})", is_ahead ? "emit" : "emitted",
                        to_text(*last.emissions, unit), to_text(*setting.grid, unit));
  }
  return text;
}

std::string statement(const Footprint& footprint, MassUnit unit) {
  const Curve& curve = footprint.curve;
  const CurvePoint& last = curve.points.back();
  std::string text =
      fmt::format("The run \"{}\" ({}) {}", footprint.profile.name,
                  epochs_text(footprint, hardware_text(footprint.profile)), taken(footprint, unit));
  text += fmt::format(". The energy is {}, its boundary is the {}.",
                      name_of(curve.energy_basis.basis), name_of(curve.energy_basis.boundary));
  if (last.energy.low) text += " Ranges are 95 % intervals.";
  if (curve.outside) {
    text += fmt::format(" Of it, {} is outside the epochs: before, between and after them.",
                        to_text(curve.outside->energy));
  }
  if (!last.emissions) text += " Emissions are not known: no region is given.";
  return text + fmt::format(" Computed by Wattree {}.", kVersion);
}

ReportFigure figure(std::string what, std::string amount, const Provenance& provenance) {
  return {std::move(what), std::move(amount), std::string(name_of(provenance.basis)),
          std::string(name_of(provenance.boundary)), provenance.by};
}

Estimate<Joules> without(const Estimate<Joules>& all, const Estimate<Joules>& part) {
  Estimate<Joules> out{all.value - part.value, std::nullopt, std::nullopt};
  if (all.low) out.low = *all.low - part.value;
  if (all.high) out.high = *all.high - part.value;
  return out;
}

template <class Quantity, class Text>
std::string with_interval(const Estimate<Quantity>& estimate, Text text) {
  std::string out = text(estimate.value);
  if (!estimate.low || !estimate.high) return out;
  std::string low = text(*estimate.low);
  const std::string high = text(*estimate.high);
  if (low == high) return out;  // Too narrow to be seen.
  const auto unit = [](const std::string& amount) { return amount.substr(amount.rfind(' ')); };
  if (unit(low) == unit(high)) low.erase(low.rfind(' '));
  return out + fmt::format(" ({} to {})", low, high);
}

}  // namespace

std::string epochs_text(const Footprint& footprint, const std::string& hardware) {
  const Profile& profile = footprint.profile;
  const CurvePoint& last = footprint.curve.points.back();
  std::string recorded = plural(profile.epochs.size(), "epoch");
  if (!hardware.empty()) recorded += " on " + hardware;
  recorded = with_time(std::move(recorded), duration(profile));
  // Epochs without a figure at the end are left out by themselves.
  const auto later = profile.epochs.begin() +
                     static_cast<std::ptrdiff_t>(std::min(last.epoch, profile.epochs.size()));
  const bool is_cut = std::any_of(later, profile.epochs.end(),
                                  [](const Epoch& epoch) { return !epoch.energy.empty(); });
  if (!last.is_extrapolated && !is_cut) return recorded;
  return with_time(fmt::format("{}; {} {}", recorded, is_cut ? "cut off after" : "extrapolated to",
                               plural(last.epoch, "epoch")),
                   last.elapsed);
}

CurveUnits units_for(const Curve& curve, MassUnit asked) {
  const CurvePoint& last = curve.points.back();
  return {unit_for(last.energy.value),
          last.emissions ? unit_for(last.emissions->value, asked) : asked};
}

std::string row_name(const CurvePoint& point, const char* mark) {
  if (point.epoch == 0) return "outside";
  return std::to_string(point.epoch) + (point.is_extrapolated ? mark : "");
}

std::string to_text(const Estimate<Joules>& energy) {
  return with_interval(energy, [](Joules value) { return to_text(value); });
}

std::string to_text(const Estimate<Joules>& energy, EnergyUnit unit) {
  return with_interval(energy, [unit](Joules value) { return to_text(value, unit); });
}

std::string to_text(const Estimate<GramsCo2e>& mass, MassUnit unit) {
  return with_interval(mass, [unit](GramsCo2e value) { return to_text(value, unit); });
}

std::vector<CurvePoint> shown_points(const Curve& curve, std::size_t at_most) {
  const std::size_t count = curve.points.size();
  const std::size_t shown = std::min(count, at_most);
  std::vector<CurvePoint> out;
  if (curve.outside) out.push_back(*curve.outside);
  for (std::size_t i = 0; i < shown; ++i) {
    out.push_back(curve.points[shown > 1 ? i * (count - 1) / (shown - 1) : 0]);
  }
  return out;
}

ReportContent report_content(const Footprint& footprint, MassUnit unit) {
  const Curve& curve = footprint.curve;
  const CurvePoint& last = curve.points.back();
  const Setting& setting = footprint.setting;
  ReportContent out;
  out.title = footprint.profile.name;
  out.statement = statement(footprint, unit);
  out.figures.push_back(
      figure("energy of the devices", to_text(last.device_energy), curve.device_basis));
  if (curve.outside) {
    const Provenance part{curve.device_basis.basis, "part of the energy of the devices",
                          curve.device_basis.boundary};
    out.figures.push_back(figure("of it, in epochs",
                                 to_text(without(last.device_energy, curve.outside->device_energy)),
                                 part));
    out.figures.push_back(
        figure("of it, outside epochs", to_text(curve.outside->device_energy), part));
  }
  if (setting.pue) {
    out.figures.push_back({"PUE", four_digits(setting.pue->value),
                           std::string(name_of(setting.pue->basis)), "", setting.pue->by});
    out.figures.push_back(figure("energy with PUE", to_text(last.energy), curve.energy_basis));
    out.figures.back().by = "energy of the devices × PUE";  // Their rows have the sources.
  }
  if (setting.usd_per_kwh) {
    const auto cost = [&](Joules energy) {
      return four_digits(*cost_usd(energy, setting)) + " USD";
    };
    out.figures.push_back({"cost", with_interval(last.energy, cost),
                           std::string(name_of(Basis::kAssumed)), "", price_text(setting)});
  }
  if (setting.grid) {
    const auto* constant = std::get_if<CarbonIntensity>(&setting.grid->intensity);
    out.figures.push_back({"carbon intensity",
                           constant != nullptr ? to_text(*constant, unit) : "over time",
                           std::string(name_of(setting.grid->basis)), "", setting.grid->by});
  }
  if (last.emissions) {
    out.figures.push_back(
        figure("emissions (CO2e)", to_text(*last.emissions, unit), *curve.emissions_basis));
    out.figures.back().by = "energy × carbon intensity";
    for (const ShownEquivalent& shown :
         shown_equivalents(last.emissions->value, last.energy.value)) {
      auto& list = shown.equivalent->energy_kwh ? out.energy_equivalents : out.equivalents;
      list.push_back(to_text(shown) + " (" + shown.source() + ")");
    }
  }
  const Profile& profile = footprint.profile;
  if (!profile.author.empty()) out.notes.push_back("author: " + profile.author);
  if (!profile.source.empty()) out.notes.push_back("source: " + profile.source);
  // A report is for others, whom the command does not concern.
  if (std::string notes = without_command(profile.notes); !notes.empty()) {
    out.notes.push_back(std::move(notes));
  }
  out.notes.insert(out.notes.end(), curve.notes.begin(), curve.notes.end());
  return out;
}

}  // namespace wattree
