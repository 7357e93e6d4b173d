#include "src/report/document/run_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "src/report/document/report_content.h"

namespace wattree {
namespace {

constexpr double kWidth = 640;
constexpr double kHeight = 320;
constexpr double kLeft = 64;
constexpr double kRight = 16;
constexpr double kTop = 44;     // Room for the title and the unit.
constexpr double kBottom = 48;  // And for the ticks and the name of the axis.
constexpr std::size_t kMostPoints = 200;
constexpr std::size_t kMostDots = 20;  // More would hide the line.

// 1, 2 or 5 times a power of ten: the least that needs no more than `most` steps.
double tick_step(double range, int most) {
  const double power = std::pow(10.0, std::floor(std::log10(range / most)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (range / (factor * power) <= most) return factor * power;
  }
  return 10 * power;
}

// The unit that values are shown in, and how much one of it is.
struct Scale {
  double one = 1;
  std::string unit;
};

Scale energy_scale(Joules most) {
  switch (unit_for(most)) {
    case EnergyUnit::kKilowattHour: return {kJoulesPerKwh, "kWh"};
    case EnergyUnit::kKilojoule: return {1000, "kJ"};
    case EnergyUnit::kJoule: break;
  }
  return {1, "J"};
}

Scale mass_scale(GramsCo2e most, MassUnit asked) {
  switch (unit_for(most, asked)) {
    case MassUnit::kKilogram: return {1000, "kg CO2e"};
    case MassUnit::kPound: return {kGramsPerPound, "lb CO2e"};
    case MassUnit::kAuto:
    case MassUnit::kGram: break;
  }
  return {1, "g CO2e"};
}

class Chart {
 public:
  Chart(const Curve& curve, MassUnit unit) : points_(shown_points(curve, kMostPoints)) {
    has_emissions_ = points_.back().emissions.has_value();
    // A run that took nothing outside its epochs begins with nothing.
    if (points_.front().epoch != 0) points_.insert(points_.begin(), nothing());
    double most = 0;
    for (const CurvePoint& point : points_) most = std::max(most, high(point));
    scale_ = has_emissions_ ? mass_scale(GramsCo2e(most), unit) : energy_scale(Joules(most));
    step_ = most > 0 ? tick_step(most / scale_.one, 5) : 1;
    top_ = step_ * std::max(1.0, std::ceil(most / scale_.one / step_ - 1e-9));
  }

  std::string svg() const {
    const char* what = has_emissions_ ? "Emissions" : "Energy";
    std::string out = fmt::format(
        "<svg viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{} over {} epochs, rising to {} "
        "{}\">\n<text class=\"title\" x=\"{}\" y=\"18\">{} so far, epoch by epoch</text>\n",
        kWidth, kHeight, what, points_.back().epoch,
        four_digits(value(points_.back()) / scale_.one), scale_.unit, kLeft, what);
    return out + value_axis() + epoch_axis() + band() + line(false) + line(true) + dots() +
           "</svg>\n";
  }

 private:
  CurvePoint nothing() const {
    CurvePoint out;
    out.epoch = 0;
    if (has_emissions_) out.emissions.emplace();
    return out;
  }

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
    return kHeight - kBottom - value / scale_.one / top_ * (kHeight - kBottom - kTop);
  }
  std::string at(char command, const CurvePoint& point, double v) const {
    return fmt::format("{}{:.1f} {:.1f}", command, x(static_cast<double>(point.epoch)), y(v));
  }

  std::string value_axis() const {
    std::string out = fmt::format("<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
                                  kLeft - 8, kTop - 12, scale_.unit);
    const int ticks = static_cast<int>(std::lround(top_ / step_));
    for (int i = 0; i <= ticks; ++i) {
      const double shown = step_ * i;
      const double height = y(shown * scale_.one);
      out += fmt::format(
          "<path class=\"{}\" d=\"M{} {:.1f}H{}\"/>"
          "<text x=\"{}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n",
          i == 0 ? "axis" : "grid", kLeft, height, kWidth - kRight, kLeft - 8, height + 4,
          four_digits(shown));
    }
    return out + fmt::format("<path class=\"axis\" d=\"M{} {:.1f}V{}\"/>\n", kLeft, y(0), kTop);
  }

  std::string epoch_axis() const {
    const auto last = static_cast<double>(points_.back().epoch);
    const double step = std::max(1.0, tick_step(last, 10));
    std::string out;
    for (double epoch = 0; epoch <= last; epoch += step) {
      out += fmt::format(
          "<path class=\"axis\" d=\"M{0:.1f} {1:.1f}v5\"/>"
          "<text x=\"{0:.1f}\" y=\"{2:.1f}\" text-anchor=\"middle\">{3:.0f}</text>\n",
          x(epoch), y(0), y(0) + 19, epoch);
    }
    return out +
           fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">epochs</text>\n",
                       (kLeft + kWidth - kRight) / 2, kHeight - 8);
  }

  // What is extrapolated starts at the last recorded point.
  std::string line(bool extrapolated) const {
    std::string path;
    for (std::size_t i = 0; i < points_.size(); ++i) {
      if (points_[i].is_extrapolated != extrapolated) continue;
      if (path.empty()) {
        const CurvePoint& from = points_[extrapolated ? i - 1 : i];
        path = at('M', from, value(from));
      }
      path += at('L', points_[i], value(points_[i]));
    }
    if (path.empty()) return "";
    return fmt::format("<path class=\"line{}\" d=\"{}\"/>\n", extrapolated ? " ahead" : "", path);
  }

  // Opens at the last recorded point, where nothing is uncertain.
  std::string band() const {
    const auto ahead = std::find_if(points_.begin(), points_.end(),
                                    [](const CurvePoint& point) { return point.is_extrapolated; });
    if (ahead == points_.end()) return "";
    const auto first = static_cast<std::size_t>(ahead - points_.begin()) - 1;
    std::string path;
    for (std::size_t i = first; i < points_.size(); ++i) {
      path += at(i == first ? 'M' : 'L', points_[i], high(points_[i]));
    }
    for (std::size_t i = points_.size(); i-- > first;) {
      path += at('L', points_[i], low(points_[i]));
    }
    return fmt::format("<path class=\"band\" d=\"{}Z\"/>\n", path);
  }

  // Each epoch that was recorded: between them the line is a guide for the eye.
  std::string dots() const {
    std::string out;
    if (points_.size() > kMostDots) return out;
    for (const CurvePoint& point : points_) {
      if (point.epoch == 0 || point.is_extrapolated) continue;
      out += fmt::format("<circle class=\"dot\" cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"3.5\"/>\n",
                         x(static_cast<double>(point.epoch)), y(value(point)));
    }
    return out;
  }

  std::vector<CurvePoint> points_;  // The first is at epoch 0.
  Scale scale_;
  double step_ = 1, top_ = 1;  // Of the value axis, in units of the scale.
  bool has_emissions_ = false;
};

}  // namespace

std::string run_chart(const Curve& curve, MassUnit unit) { return Chart(curve, unit).svg(); }

}  // namespace wattree
