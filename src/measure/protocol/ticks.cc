#include "src/measure/protocol/ticks.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace wattree {
namespace {

double mean_of(std::span<const double> values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

// What `y` grows by for one `x` in the second half, over the same in the first, less 1.
double drift_of(std::span<const double> x, std::span<const double> y) {
  const std::size_t middle = x.size() / 2;
  const double first = (y[middle] - y.front()) / (x[middle] - x.front());
  const double second = (y.back() - y[middle]) / (x.back() - x[middle]);
  return second / first - 1;
}

}  // namespace

void Progress::add(Nanos time, double runs) {
  times_.push_back(time);
  runs_.push_back(runs);
}

bool Progress::covers(Nanos time) const {
  return times_.size() > 1 && times_.front() <= time && time <= times_.back();
}

double Progress::at(Nanos time) const {
  const auto found = std::lower_bound(times_.begin(), times_.end(), time);
  const auto right = std::clamp<std::size_t>(
      static_cast<std::size_t>(std::distance(times_.begin(), found)), 1, times_.size() - 1);
  const double step = seconds(times_[right] - times_[right - 1]);
  const double share = step > 0 ? seconds(time - times_[right - 1]) / step : 1.0;
  return runs_[right - 1] + share * (runs_[right] - runs_[right - 1]);
}

std::vector<Nanos> Progress::times_from(Nanos from) const {
  return {std::lower_bound(times_.begin(), times_.end(), from), times_.end()};
}

std::optional<LoadWindow> cut_window(std::span<const Tick> ticks, const Progress& progress,
                                     Nanos not_before) {
  std::vector<const Tick*> inside;
  std::vector<double> done;
  std::vector<double> energy;
  for (const Tick& tick : ticks) {
    if (tick.after < not_before || !progress.covers(tick.time())) continue;
    inside.push_back(&tick);
    done.push_back(progress.at(tick.time()));
    energy.push_back(tick.energy.value);
  }
  if (inside.size() < kLeastTicks) return std::nullopt;
  LoadWindow out;
  out.begun = inside.front()->time();
  out.ended = inside.back()->time();
  out.energy = Joules(energy.back() - energy.front());
  out.runs = done.back() - done.front();
  if (out.runs <= 0 || out.energy->value <= 0) return std::nullopt;
  out.ticks = static_cast<int>(inside.size());
  out.tick_uncertainty =
      Seconds(std::hypot(inside.front()->uncertainty().value, inside.back()->uncertainty().value));
  out.relative_error = relative_slope_error(done, energy);
  out.drift = drift_of(done, energy);
  return out;
}

std::optional<LoadWindow> cut_timed_window(const Progress& progress, Nanos not_before) {
  const std::vector<Nanos> times = progress.times_from(not_before);
  if (times.size() < kLeastTicks) return std::nullopt;
  std::vector<double> done;
  std::vector<double> passed;
  for (const Nanos time : times) {
    done.push_back(progress.at(time));
    passed.push_back(seconds(time - times.front()));
  }
  LoadWindow out;
  out.begun = times.front();
  out.ended = times.back();
  out.runs = done.back() - done.front();
  if (out.runs <= 0 || out.ended <= out.begun) return std::nullopt;
  out.relative_error = relative_slope_error(done, passed);
  out.drift = drift_of(done, passed);
  return out;
}

double relative_slope_error(std::span<const double> x, std::span<const double> y) {
  const double mean_x = mean_of(x);
  const double mean_y = mean_of(y);
  double xx = 0;
  double xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  const double slope = xy / xx;
  double residual = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double off = y[i] - mean_y - slope * (x[i] - mean_x);
    residual += off * off;
  }
  residual /= static_cast<double>(x.size() - 2);
  return std::sqrt(residual / xx) / slope;
}

}  // namespace wattree
