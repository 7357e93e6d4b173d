#include "src/report/document/report_content.h"

#include <fmt/format.h>

#include "src/base/text.h"
#include "src/base/version.h"
#include "src/report/document/equivalent_text.h"
#include "src/runs/profile/find.h"

namespace wattree {
namespace {

std::string plural(std::size_t count, const char* thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string number_of_epochs(const Footprint& footprint) {
  const std::size_t recorded = footprint.profile.epochs.size();
  const CurvePoint& last = footprint.curve.points.back();
  if (last.is_extrapolated) {
    return fmt::format("{}, extrapolated from {}", plural(last.epoch, "epoch"), recorded);
  }
  return plural(last.epoch, "epoch");
}

std::string statement(const Footprint& footprint, MassUnit unit) {
  const Curve& curve = footprint.curve;
  const CurvePoint& last = curve.points.back();
  const Setting& setting = footprint.setting;
  std::string text =
      fmt::format("The run \"{}\" ({}", footprint.profile.name, number_of_epochs(footprint));
  if (const std::string hardware = hardware_text(footprint.profile); !hardware.empty()) {
    text += " on " + hardware;
  }
  if (last.elapsed) text += ", " + to_text(*last.elapsed);
  text += fmt::format(") used {} of electricity", to_text(last.energy));
  if (setting.pue) {
    text += fmt::format(", which is {} at the devices times a PUE of {}",
                        to_text(last.device_energy), four_digits(setting.pue->value));
  }
  if (last.emissions) {
    text += fmt::format(", and emitted {} CO2e ({})", to_text(*last.emissions, unit),
                        to_text(*setting.grid, unit));
  }
  text += fmt::format(". The energy is {}, its boundary is the {}.",
                      name_of(curve.energy_basis.basis), name_of(curve.energy_basis.boundary));
  if (last.energy.low) text += " Ranges are 95 % intervals.";
  if (const auto outside = outside_energy(footprint.profile)) {
    text += fmt::format(
        " These figures are of its epochs; before, between and after them the devices took {} "
        "more.",
        to_text(*outside));
  }
  if (!last.emissions) text += " Emissions are not known: no region is given.";
  return text + fmt::format(" Computed by Wattree {}.", kVersion);
}

ReportFigure figure(std::string what, std::string amount, const Provenance& provenance) {
  return {std::move(what), std::move(amount), std::string(name_of(provenance.basis)),
          std::string(name_of(provenance.boundary)), provenance.by};
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

std::string to_text(const Estimate<Joules>& energy) {
  return with_interval(energy, [](Joules value) { return to_text(value); });
}

std::string to_text(const Estimate<GramsCo2e>& mass, MassUnit unit) {
  return with_interval(mass, [unit](GramsCo2e value) { return to_text(value, unit); });
}

std::vector<CurvePoint> shown_points(const Curve& curve, std::size_t at_most) {
  const std::size_t count = curve.points.size();
  if (count <= at_most) return curve.points;
  std::vector<CurvePoint> out;
  for (std::size_t i = 0; i < at_most; ++i) {
    out.push_back(curve.points[i * (count - 1) / (at_most - 1)]);
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
  if (setting.pue) {
    out.figures.push_back({"PUE", four_digits(setting.pue->value),
                           std::string(name_of(setting.pue->basis)), "", setting.pue->by});
    out.figures.push_back(figure("energy with PUE", to_text(last.energy), curve.energy_basis));
    out.figures.back().by = "energy of the devices × PUE";  // Their rows have the sources.
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
      out.equivalents.push_back(to_text(shown) + " (" + shown.source() + ")");
    }
  }
  const Profile& profile = footprint.profile;
  if (!profile.author.empty()) out.notes.push_back("author: " + profile.author);
  if (!profile.source.empty()) out.notes.push_back("source: " + profile.source);
  if (!profile.notes.empty()) out.notes.push_back(profile.notes);
  out.notes.insert(out.notes.end(), curve.notes.begin(), curve.notes.end());
  return out;
}

}  // namespace wattree
