// What a report says, before it is Markdown or HTML.
#pragma once

#include <string>
#include <vector>

#include "src/base/amounts.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {

// A figure with where it comes from.
struct ReportFigure {
  std::string what;
  std::string amount;
  std::string basis;
  std::string boundary;
  std::string by;
};

inline constexpr char kEmissionsAreAsMuchAs[] = "The emissions are as much as";
inline constexpr char kElectricityIsAsMuchAs[] = "The electricity is as much as";

struct ReportContent {
  std::string title;
  std::string statement;
  std::vector<ReportFigure> figures;
  std::vector<std::string> equivalents;         // Of the emissions,
  std::vector<std::string> energy_equivalents;  // and of the electricity.
  std::vector<std::string> notes;
};

ReportContent report_content(const Footprint& footprint, MassUnit unit);

// "5 epochs, 5.7 s; extrapolated to 12 epochs, 13.72 s": what was recorded, and what is shown of
// it. `hardware` stands behind the recorded epochs where it is not empty.
std::string epochs_text(const Footprint& footprint, const std::string& hardware);

// "1.65 kg (1.55 to 1.75 kg)"
std::string to_text(const Estimate<Joules>& energy);
std::string to_text(const Estimate<Joules>& energy, EnergyUnit unit);
std::string to_text(const Estimate<GramsCo2e>& mass, MassUnit unit);

// The units that all energies and all masses of a curve are written in.
struct CurveUnits {
  EnergyUnit energy = EnergyUnit::kJoule;
  MassUnit mass = MassUnit::kAuto;
};
CurveUnits units_for(const Curve& curve, MassUnit asked);

// A row of a table that adds up epoch by epoch: "outside", "3", and behind what is extrapolated
// `mark`.
std::string row_name(const CurvePoint& point, const char* mark);

// The points of a curve that a table has room for: what was outside the epochs, and all of a few,
// else the first, the last and some between them.
std::vector<CurvePoint> shown_points(const Curve& curve, std::size_t at_most);

}  // namespace wattree
