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

struct ReportContent {
  std::string title;
  std::string statement;
  std::vector<ReportFigure> figures;
  std::vector<std::string> equivalents;
  std::vector<std::string> notes;
};

ReportContent report_content(const Footprint& footprint, MassUnit unit);

// "1.65 kg (1.55 to 1.75 kg)"
std::string to_text(const Estimate<Joules>& energy);
std::string to_text(const Estimate<GramsCo2e>& mass, MassUnit unit);

// The points of a curve that a table has room for: all of a few, else the first, the last and some
// between them.
std::vector<CurvePoint> shown_points(const Curve& curve, std::size_t at_most);

}  // namespace wattree
