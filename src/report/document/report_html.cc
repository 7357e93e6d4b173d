#include <fmt/format.h>

#include "src/base/html_text.h"
#include "src/report/document/report.h"
#include "src/report/document/report_content.h"
#include "src/report/document/run_chart.h"
#include "src/runs/profile/read.h"

namespace wattree {
namespace {

constexpr std::size_t kMaxRows = 200;

constexpr std::string_view kPageHead =
    "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
    "<meta http-equiv=\"Content-Security-Policy\" "
    "content=\"default-src 'none'; style-src 'unsafe-inline'\">\n"
    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";

constexpr std::string_view kStyle =
    "<style>\n"
    ":root { color-scheme: light dark; }\n"
    "body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; "
    "padding: 0 1rem; }\n"
    "table { border-collapse: collapse; margin: 1rem 0; }\n"
    "th, td { text-align: left; padding: .25rem .75rem; border-bottom: 1px solid #8886; "
    "vertical-align: top; }\n"
    ".n { text-align: right; white-space: nowrap; }\n"
    "svg { width: 100%; max-width: 640px; height: auto; }\n"
    "svg text { font-size: 12px; fill: currentColor; }\n"
    "svg .title { font-size: 14px; font-weight: 600; }\n"
    "figure { margin: 1rem 0; }\n"
    "figcaption { font-size: .875rem; }\n"
    ":root { --curve: #0072b2; }\n"
    "@media (prefers-color-scheme: dark) { :root { --curve: #56b4e9; } }\n"
    ".axis { stroke: currentColor; stroke-width: 1; }\n"
    ".grid { stroke: #8886; stroke-width: 1; }\n"
    ".line { fill: none; stroke: var(--curve); stroke-width: 2; }\n"
    ".dot { fill: var(--curve); }\n"
    ".ahead { stroke-dasharray: 5 4; }\n"
    ".band { fill: var(--curve); opacity: .2; }\n"
    "</style>\n";

// What the chart's line means.
std::string caption(const Curve& curve) {
  std::string out;
  if (curve.outside) out += "The line begins with what the run took outside its epochs. ";
  if (curve.points.back().is_extrapolated) {
    out += "Dashed: extrapolated";
    out += curve.points.back().energy.low ? ", with a 95 % interval." : ".";
  }
  return out.empty() ? "" : "<figcaption>" + out + "</figcaption>\n";
}

}  // namespace

std::string html_report(const Footprint& footprint, MassUnit unit) {
  const ReportContent content = report_content(footprint, unit);
  std::string out(kPageHead);
  out += fmt::format("<title>Energy of {}</title>\n{}</head>\n<body>\n<h1>Energy of {}</h1>\n",
                     html_text(content.title), kStyle, html_text(content.title));
  out += fmt::format("<p>{}</p>\n<figure>\n{}{}</figure>\n", html_text(content.statement),
                     run_chart(footprint.curve, unit), caption(footprint.curve));
  out +=
      "<table>\n<tr><th>figure</th><th class=\"n\">amount</th><th>basis</th><th>boundary</th>"
      "<th>from</th></tr>\n";
  for (const ReportFigure& figure : content.figures) {
    out += fmt::format(
        "<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td><td>{}</td><td>{}</td></tr>\n",
        html_text(figure.what), figure.amount, figure.basis, figure.boundary, html_text(figure.by));
  }
  const bool has_emissions = footprint.curve.points.back().emissions.has_value();
  out += fmt::format(
      "</table>\n<table>\n<tr><th class=\"n\">epochs</th><th class=\"n\">energy so "
      "far</th>{}</tr>\n",
      has_emissions ? "<th class=\"n\">CO2e so far</th>" : "");
  const CurveUnits units = units_for(footprint.curve, unit);
  for (const CurvePoint& point : shown_points(footprint.curve, kMaxRows)) {
    out += fmt::format("<tr><td class=\"n\">{}</td><td class=\"n\">{}</td>",
                       row_name(point, " (extrapolated)"), to_text(point.energy, units.energy));
    if (point.emissions) {
      out += fmt::format("<td class=\"n\">{}</td>", to_text(*point.emissions, units.mass));
    }
    out += "</tr>\n";
  }
  out += "</table>\n";
  const auto list = [&out](const char* title, const std::vector<std::string>& lines) {
    if (lines.empty()) return;
    out += fmt::format("<p>{}</p>\n<ul>\n", title);
    for (const std::string& line : lines) out += "<li>" + html_text(line) + "</li>\n";
    out += "</ul>\n";
  };
  list(kEmissionsAreAsMuchAs, content.equivalents);
  list(kElectricityIsAsMuchAs, content.energy_equivalents);
  list("Notes", content.notes);
  out += "<p>This page carries its profile: <code>wattree profiles import</code> reads it.</p>\n";
  out += profile_element(footprint.profile) + "\n</body>\n</html>\n";
  return out;
}

}  // namespace wattree
