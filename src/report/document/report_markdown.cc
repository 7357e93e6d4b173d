#include <fmt/format.h>

#include "src/base/in_quotes.h"
#include "src/report/document/report.h"
#include "src/report/document/report_content.h"

namespace wattree {
namespace {

constexpr std::size_t kMaxTextRows = 50;

// A text that a table's cell can hold, and that is no markup.
std::string plain(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (std::string_view("\\`*_[]<>|#").find(c) != std::string_view::npos) out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return printable(out);
}

}  // namespace

std::string markdown_report(const Footprint& footprint, MassUnit unit) {
  const ReportContent content = report_content(footprint, unit);
  std::string out =
      fmt::format("# Energy of {}\n\n{}\n\n", plain(content.title), plain(content.statement));
  out += "| figure | amount | basis | boundary | from |\n|---|--:|---|---|---|\n";
  for (const ReportFigure& figure : content.figures) {
    out += fmt::format("| {} | {} | {} | {} | {} |\n", figure.what, figure.amount, figure.basis,
                       figure.boundary, plain(figure.by));
  }
  const bool has_emissions = footprint.curve.points.back().emissions.has_value();
  out += fmt::format("\n| epochs | energy so far |{}\n|--:|--:|{}\n",
                     has_emissions ? " CO2e so far |" : "", has_emissions ? "--:|" : "");
  const CurveUnits units = units_for(footprint.curve, unit);
  for (const CurvePoint& point : shown_points(footprint.curve, kMaxTextRows)) {
    out += fmt::format("| {} | {} |", row_name(point, " (extrapolated)"),
                       to_text(point.energy, units.energy));
    if (point.emissions) out += fmt::format(" {} |", to_text(*point.emissions, units.mass));
    out += "\n";
  }
  const auto list = [&out](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out += fmt::format("\n{}\n\n", title);
    for (const std::string& line : lines) out += "- " + plain(line) + "\n";
  };
  list(kEmissionsAreAsMuchAs, content.equivalents);
  list(kElectricityIsAsMuchAs, content.energy_equivalents);
  list("Notes", content.notes);
  return out;
}

}  // namespace wattree
