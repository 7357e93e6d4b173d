#include <fmt/format.h>

#include <algorithm>

#include "src/base/html_text.h"
#include "src/report/document/report.h"
#include "src/report/document/report_content.h"
#include "src/runs/profile/read.h"

namespace wattree {
namespace {

constexpr std::size_t kMaxRows = 200;
constexpr double kWidth = 640;
constexpr double kHeight = 240;
constexpr double kLeft = 110;
constexpr double kBottom = 28;
constexpr double kTop = 12;
constexpr double kRight = 12;

constexpr std::string_view kHead =
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
    ".axis { stroke: currentColor; stroke-width: 1; }\n"
    ".line { fill: none; stroke: #0072b2; stroke-width: 2; }\n"
    ".ahead { stroke-dasharray: 5 4; }\n"
    ".band { fill: #0072b233; }\n"
    "</style>\n";

// The cumulative curve: emissions where they are known, else energy; dashed where extrapolated.
class Chart {
 public:
  Chart(const Footprint& footprint, MassUnit unit)
      : points_(shown_points(footprint.curve, kMaxRows)), unit_(unit) {
    has_emissions_ = points_.back().emissions.has_value();
    for (const CurvePoint& point : points_) most_ = std::max(most_, high(point));
    if (!(most_ > 0)) most_ = 1;
  }

  std::string svg() const {
    const std::string top =
        has_emissions_ ? to_text(GramsCo2e(most_), unit_) + " CO2e" : to_text(Joules(most_));
    const std::size_t last = points_.back().epoch;
    std::string out = fmt::format(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{} over {} epochs, rising to {}\">\n",
        kWidth, kHeight, has_emissions_ ? "Emissions" : "Energy", last, top);
    out += fmt::format("<path class=\"axis\" d=\"M{} {}V{}H{}\" fill=\"none\"/>\n", kLeft, kTop,
                       kHeight - kBottom, kWidth - kRight);
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n", kLeft - 6,
                       kTop + 10, top);
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">0</text>\n", kLeft - 6,
                       kHeight - kBottom);
    out += fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">epoch {}</text>\n",
                       kWidth - kRight, kHeight - 8, last);
    out += band() + line(false) + line(true) + "</svg>\n";
    return out;
  }

 private:
  double value(const CurvePoint& point) const {
    return has_emissions_ ? point.emissions->value.value : point.energy.value.value;
  }
  double low(const CurvePoint& point) const {
    return has_emissions_ ? point.emissions->low.value_or(point.emissions->value).value
                          : point.energy.low.value_or(point.energy.value).value;
  }
  double high(const CurvePoint& point) const {
    return has_emissions_ ? point.emissions->high.value_or(point.emissions->value).value
                          : point.energy.high.value_or(point.energy.value).value;
  }
  double x(double epoch) const {
    return kLeft + epoch / static_cast<double>(points_.back().epoch) * (kWidth - kLeft - kRight);
  }
  double y(double value) const {
    return kHeight - kBottom - value / most_ * (kHeight - kBottom - kTop);
  }
  std::string at(char command, const CurvePoint& point, double v) const {
    return fmt::format("{}{:.1f} {:.1f}", command, x(static_cast<double>(point.epoch)), y(v));
  }

  // What is recorded starts at nothing; what is extrapolated starts at the last recorded point.
  std::string line(bool extrapolated) const {
    std::string path = extrapolated ? "" : fmt::format("M{:.1f} {:.1f}", x(0), y(0));
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (points_[i].is_extrapolated != extrapolated) continue;
      if (path.empty()) {
        path = i > 0 ? at('M', points_[i - 1], value(points_[i - 1]))
                     : at('M', points_[i], value(points_[i]));
      }
      path += at('L', points_[i], value(points_[i]));
    }
    if (path.empty()) return "";
    return fmt::format("<path class=\"line{}\" d=\"{}\"/>\n", extrapolated ? " ahead" : "", path);
  }

  // Opens at the last recorded point, where nothing is uncertain.
  std::string band() const {
    std::size_t first = 0;
    while (first < points_.size() && !points_[first].is_extrapolated) ++first;
    if (first == points_.size()) return "";
    if (first > 0) --first;
    std::string path;
    for (std::size_t i = first; i < points_.size(); ++i) {
      path += at(i == first ? 'M' : 'L', points_[i], high(points_[i]));
    }
    for (std::size_t i = points_.size(); i-- > first;) {
      path += at('L', points_[i], low(points_[i]));
    }
    return fmt::format("<path class=\"band\" d=\"{}Z\"/>\n", path);
  }

  std::vector<CurvePoint> points_;
  MassUnit unit_;
  bool has_emissions_ = false;
  double most_ = 0;
};

}  // namespace

std::string html_report(const Footprint& footprint, MassUnit unit) {
  const ReportContent content = report_content(footprint, unit);
  std::string out(kHead);
  out += fmt::format("<title>Energy of {}</title>\n{}</head>\n<body>\n<h1>Energy of {}</h1>\n",
                     html_text(content.title), kStyle, html_text(content.title));
  out += fmt::format("<p>{}</p>\n{}", html_text(content.statement), Chart(footprint, unit).svg());
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
  for (const CurvePoint& point : shown_points(footprint.curve, kMaxRows)) {
    out += fmt::format("<tr><td class=\"n\">{}{}</td><td class=\"n\">{}</td>", point.epoch,
                       point.is_extrapolated ? " (extrapolated)" : "", to_text(point.energy));
    if (point.emissions) {
      out += fmt::format("<td class=\"n\">{}</td>", to_text(*point.emissions, unit));
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
  list("The emissions are as much as", content.equivalents);
  list("Notes", content.notes);
  out += "<p>This page carries its profile: <code>wattree profiles import</code> reads it.</p>\n";
  out += profile_element(footprint.profile) + "\n</body>\n</html>\n";
  return out;
}

}  // namespace wattree
