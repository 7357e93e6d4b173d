// Units are types: a double that remembers its dimension. Lawful combinations are written out, so a
// wrong formula does not compile (tests/compile_fail proves it).
#pragma once

#include <compare>

namespace wattree {

template <class Dimension>
struct Quantity {
  double value = 0.0;
  constexpr Quantity() = default;
  constexpr explicit Quantity(double v) : value(v) {}
  constexpr auto operator<=>(const Quantity&) const = default;
  constexpr Quantity operator+(Quantity other) const { return Quantity(value + other.value); }
  constexpr Quantity operator-(Quantity other) const { return Quantity(value - other.value); }
  constexpr Quantity operator*(double factor) const { return Quantity(value * factor); }
  constexpr Quantity operator/(double parts) const { return Quantity(value / parts); }
  constexpr double operator/(Quantity other) const { return value / other.value; }
  constexpr Quantity& operator+=(Quantity other) { return *this = *this + other; }
  constexpr Quantity& operator-=(Quantity other) { return *this = *this - other; }
  constexpr Quantity& operator*=(double factor) { return *this = *this * factor; }
};

using Joules = Quantity<struct JoulesDim>;
using Watts = Quantity<struct WattsDim>;
using Seconds = Quantity<struct SecondsDim>;

// Carbon dioxide and what warms like it, over 100 years.
using GramsCo2e = Quantity<struct GramsCo2eDim>;
// Of a grid: gCO2e per kWh, the unit in which it is published.
using CarbonIntensity = Quantity<struct CarbonIntensityDim>;

inline constexpr double kJoulesPerKwh = 3.6e6;

constexpr Joules operator*(Watts power, Seconds time) { return Joules(power.value * time.value); }
constexpr Watts operator/(Joules energy, Seconds time) { return Watts(energy.value / time.value); }
constexpr Seconds operator/(Joules energy, Watts power) {
  return Seconds(energy.value / power.value);
}
constexpr GramsCo2e operator*(Joules energy, CarbonIntensity intensity) {
  return GramsCo2e(energy.value / kJoulesPerKwh * intensity.value);
}

}  // namespace wattree
