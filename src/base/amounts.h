// Amounts as people read them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "src/base/result.h"
#include "src/base/units.h"

namespace wattree {

// kAuto: grams below a kilogram, kilograms above.
enum class MassUnit { kAuto, kGram, kKilogram, kPound };
std::optional<MassUnit> parse_mass_unit(std::string_view name);  // "g", "kg", "lb"

// Four significant digits: "310.5 g", "1.65 kg", "0.6187 lb".
std::string to_text(GramsCo2e mass, MassUnit unit = MassUnit::kAuto);
// kWithoutKilo: joules up to a hundredth of a kWh, for amounts that stand beside joules.
enum class EnergyScale { kAuto, kWithoutKilo };
// "2.5 J", "36 kJ", "0.6 kWh": kWh from a hundredth of one on.
std::string to_text(Joules energy, EnergyScale scale = EnergyScale::kAuto);
// For the columns of a table: one unit each, the one that the largest amount is written in.
enum class EnergyUnit { kJoule, kKilojoule, kKilowattHour };
EnergyUnit unit_for(Joules largest, EnergyScale scale = EnergyScale::kAuto);
MassUnit unit_for(GramsCo2e largest, MassUnit asked);
std::string to_text(Joules energy, EnergyUnit unit);
// "12.5 s", "3 min 20 s", "84 h 0 min"
std::string to_text(Seconds time);
std::string to_text(CarbonIntensity intensity, MassUnit unit = MassUnit::kAuto);
// Four significant digits, no trailing zeros, never an exponent below 1e15.
std::string four_digits(double number);

// "2.5kWh", "900 kJ", "3.6e6 J", "1.2MWh"
Result<Joules> parse_energy(std::string_view text);

// "100ms", "5s", "2min", "1h"
Result<Seconds> parse_duration(std::string_view text);

}  // namespace wattree
