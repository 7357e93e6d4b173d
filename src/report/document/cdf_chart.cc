#include "src/report/document/cdf_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "src/base/html_text.h"

namespace wattree {
namespace {

constexpr double kWidth = 760;
constexpr double kHeight = 400;
constexpr double kLeft = 56;
constexpr double kRight = 20;
constexpr double kTop = 16;
constexpr double kBottom = 92;  // Room for the axis and the legend.
constexpr double kLeastError = 0.1;
constexpr std::array kTicks{0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0, 1000.0, 1e4};

struct Frame {
  double most = 100;  // At the right edge.
  double x(double error) const {
    const double share =
        std::log(std::clamp(error, kLeastError, most) / kLeastError) / std::log(most / kLeastError);
    return kLeft + share * (kWidth - kLeft - kRight);
  }
  static double y(double share) { return kHeight - kBottom - share * (kHeight - kTop - kBottom); }
};

std::string grid(const Frame& frame) {
  std::string out;
  for (const double share : {0.0, 0.25, 0.5, 0.75, 1.0}) {
    out += fmt::format(
        "<line class=\"grid\" x1=\"{:.1f}\" x2=\"{:.1f}\" y1=\"{:.1f}\" y2=\"{:.1f}\"/>"
        "<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"end\">{:.0f} %</text>\n",
        kLeft, kWidth - kRight, Frame::y(share), Frame::y(share), kLeft - 8, Frame::y(share) + 4,
        100 * share);
  }
  for (const double tick : kTicks) {
    if (tick > frame.most * 1.0001) break;
    out += fmt::format(
        "<line class=\"grid\" x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.1f}\" y2=\"{2:.1f}\"/>"
        "<text class=\"soft\" x=\"{0:.1f}\" y=\"{3:.1f}\" text-anchor=\"middle\">{4:g}</text>\n",
        frame.x(tick), Frame::y(0), Frame::y(1), Frame::y(0) + 20, tick);
  }
  return out + fmt::format(
                   "<text class=\"soft\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">error, % "
                   "of the measured energy (logarithmic)</text>\n",
                   (kLeft + kWidth - kRight) / 2, Frame::y(0) + 40);
}

std::string curve(const Frame& frame, const std::vector<double>& sorted, std::size_t k) {
  const auto count = static_cast<double>(sorted.size());
  // Enough points for the eye: a step for every half percent of the nodes.
  const std::size_t step = std::max<std::size_t>(1, sorted.size() / 200);
  std::string points = fmt::format("{:.1f},{:.1f}", frame.x(sorted.front()), Frame::y(0));
  for (std::size_t i = 0; i < sorted.size(); i += step) {
    points += fmt::format(" {:.1f},{:.1f}", frame.x(sorted[i]),
                          Frame::y(static_cast<double>(i + 1) / count));
  }
  points += fmt::format(" {:.1f},{:.1f}", frame.x(sorted.back()), Frame::y(1));
  std::string out = fmt::format("<polyline class=\"curve k{}\" points=\"{}\"/>\n", k, points);
  for (const auto& [name, share] : {std::pair{"p50", 0.5}, {"p90", 0.9}, {"p99", 0.99}}) {
    const auto at = std::min(sorted.size() - 1, static_cast<std::size_t>(share * count));
    out += fmt::format(
        "<circle class=\"f{}\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"4\"><title>{}: {:.2f} "
        "%</title></circle>\n",
        k, frame.x(sorted[at]), Frame::y(share), name, sorted[at]);
  }
  return out;
}

std::string legend(const CdfCurve& c, std::size_t k, double x) {
  const auto at = [&](double share) {
    return c
        .errors[std::min(c.errors.size() - 1,
                         static_cast<std::size_t>(share * static_cast<double>(c.errors.size())))];
  };
  const double y = kHeight - 28;
  return fmt::format(
      "<circle class=\"f{0}\" cx=\"{1:.1f}\" cy=\"{2:.1f}\" r=\"5\"/>"
      "<text x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>"
      "<text class=\"soft\" x=\"{3:.1f}\" y=\"{6:.1f}\">p50 {7:.2f}  p90 {8:.2f}  p99 "
      "{9:.2f}</text>\n",
      k, x + 6, y - 4, x + 18, y, html_text(c.name), y + 18, at(0.5), at(0.9), at(0.99));
}

}  // namespace

std::string cdf_chart(std::vector<CdfCurve> curves) {
  std::erase_if(curves, [](const CdfCurve& c) { return c.errors.empty(); });
  if (curves.size() > 3) curves.resize(3);
  if (curves.empty()) return "";
  Frame frame;
  double most = 1;
  for (CdfCurve& c : curves) {
    std::sort(c.errors.begin(), c.errors.end());
    most = std::max(most, c.errors.back());
  }
  const auto* edge =
      std::find_if(kTicks.begin(), kTicks.end(), [&](double t) { return t >= most; });
  frame.most = edge == kTicks.end() ? kTicks.back() : *edge;
  std::string out = fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" role=\"img\" aria-label=\"Share of predictions within an "
      "error\">\n",
      kWidth, kHeight);
  out += grid(frame);
  for (std::size_t k = 0; k < curves.size(); ++k) out += curve(frame, curves[k].errors, k);
  for (std::size_t k = 0; k < curves.size(); ++k) {
    out += legend(curves[k], k, kLeft + static_cast<double>(k) * (kWidth - kLeft - kRight) / 3);
  }
  return out + "</svg>";
}

}  // namespace wattree
