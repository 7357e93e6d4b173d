#include "src/base/amounts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <cstdio>
#include <utility>

#include "src/base/csv.h"

namespace wattree {
namespace {

// As many decimals as asked for; with printf's "%e" where `format` is 'e'.
std::string printed(double number, int decimals, char format = 'f') {
  char text[400];  // The largest double has 309 digits before the point.
  std::snprintf(text, sizeof text, format == 'e' ? "%.*e" : "%.*f", decimals, number);
  return text;
}

}  // namespace

std::optional<MassUnit> parse_mass_unit(std::string_view name) {
  if (name == "g") return MassUnit::kGram;
  if (name == "kg") return MassUnit::kKilogram;
  if (name == "lb") return MassUnit::kPound;
  return std::nullopt;
}

std::string four_digits(double number) {
  if (number == 0) return "0";
  const double magnitude = std::abs(number);
  if (magnitude >= 1e15 || magnitude < 1e-6) return printed(number, 3, 'e');
  const int decimals = std::max(0, 3 - static_cast<int>(std::floor(std::log10(magnitude))));
  std::string text = printed(number, decimals);
  if (decimals > 0) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
  }
  return text;
}

MassUnit unit_for(GramsCo2e largest, MassUnit asked) {
  if (asked != MassUnit::kAuto) return asked;
  return std::abs(largest.value) < 1000 ? MassUnit::kGram : MassUnit::kKilogram;
}

std::string to_text(GramsCo2e mass, MassUnit unit) {
  switch (unit_for(mass, unit)) {
    case MassUnit::kKilogram: return four_digits(mass.value / 1000) + " kg";
    case MassUnit::kPound: return four_digits(mass.value / kGramsPerPound) + " lb";
    case MassUnit::kAuto:
    case MassUnit::kGram: break;
  }
  return four_digits(mass.value) + " g";
}

std::string to_text(CarbonIntensity intensity, MassUnit unit) {
  if (unit == MassUnit::kAuto) unit = MassUnit::kGram;
  return to_text(GramsCo2e(intensity.value), unit) + "/kWh";
}

EnergyUnit unit_for(Joules largest, EnergyScale scale) {
  const double magnitude = std::abs(largest.value);
  if (magnitude >= 0.01 * kJoulesPerKwh) return EnergyUnit::kKilowattHour;
  const bool is_kilo = magnitude >= 1000 && scale == EnergyScale::kAuto;
  return is_kilo ? EnergyUnit::kKilojoule : EnergyUnit::kJoule;
}

std::string to_text(Joules energy, EnergyUnit unit) {
  switch (unit) {
    case EnergyUnit::kKilowattHour: return four_digits(energy.value / kJoulesPerKwh) + " kWh";
    case EnergyUnit::kKilojoule: return four_digits(energy.value / 1000) + " kJ";
    case EnergyUnit::kJoule: break;
  }
  return four_digits(energy.value) + " J";
}

std::string to_text(Joules energy, EnergyScale scale) {
  return to_text(energy, unit_for(energy, scale));
}

std::string to_text(Seconds time) {
  if (time.value < 60) return four_digits(time.value) + " s";
  const double seconds = std::round(time.value);
  if (seconds < 3600) {
    return printed(std::floor(seconds / 60), 0) + " min " + printed(std::fmod(seconds, 60), 0) +
           " s";
  }
  const double minutes = std::round(seconds / 60);
  return printed(std::floor(minutes / 60), 0) + " h " + printed(std::fmod(minutes, 60), 0) + " min";
}

Result<Joules> parse_energy(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789.eE+-"), text.size());
  std::string_view unit = text.substr(digits);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  constexpr std::array<std::pair<std::string_view, double>, 7> kUnits{{{"J", 1.0},
                                                                       {"kJ", 1e3},
                                                                       {"MJ", 1e6},
                                                                       {"GJ", 1e9},
                                                                       {"Wh", 3600.0},
                                                                       {"kWh", 3.6e6},
                                                                       {"MWh", 3.6e9}}};
  const std::optional<double> number = parse_number(text.substr(0, digits));
  for (const auto& [name, joules] : kUnits) {
    if (number && *number >= 0 && *number <= 1e15 && unit == name) return Joules(*number * joules);
  }
  const auto is_same_but_for_case = [&](const auto& known) {
    return unit != known.first &&
           std::equal(
               unit.begin(), unit.end(), known.first.begin(), known.first.end(),
               [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); });
  };
  const auto meant = std::find_if(kUnits.begin(), kUnits.end(), is_same_but_for_case);
  return Error{
      ErrorCode::kInvalidInput, "\"" + std::string(text) + "\" is not an energy",
      number && meant != kUnits.end()
          ? "units distinguish upper and lower case: did you mean " +
                std::string(text.substr(0, digits)) + std::string(meant->first) + "?"
          : "an energy is 0 or more and has a unit of J, kJ, MJ, GJ, Wh, kWh or MWh: 2.5kWh"};
}

Result<Seconds> parse_duration(std::string_view text) {
  const std::size_t digits = std::min(text.find_first_not_of("0123456789."), text.size());
  std::string_view unit = text.substr(digits);
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  constexpr std::array<std::pair<std::string_view, double>, 4> kUnits{
      {{"ms", 1e-3}, {"s", 1.0}, {"min", 60.0}, {"h", 3600.0}}};
  const std::optional<double> number = parse_number(text.substr(0, digits));
  for (const auto& [name, length] : kUnits) {
    if (number && *number * length <= 1e6 && unit == name) return Seconds(*number * length);
  }
  return Error{ErrorCode::kInvalidInput, "\"" + std::string(text) + "\" is not a duration",
               "write it with its unit: 100ms, 5s, 2min"};
}

}  // namespace wattree
