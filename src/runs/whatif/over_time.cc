#include "src/runs/whatif/over_time.h"

#include <algorithm>

namespace wattree {
namespace {

// All components end their samples together; where they do not, nobody knows their sum.
bool have_same_ends(const std::vector<SampleSeries>& samples) {
  return std::all_of(samples.begin(), samples.end(), [&](const SampleSeries& series) {
    return series.end == samples.front().end && series.energy.size() == series.end.size();
  });
}

const CurvePoint* last_recorded(const Curve& curve) {
  const CurvePoint* out = nullptr;
  for (const CurvePoint& point : curve.points) {
    if (!point.is_extrapolated) out = &point;
  }
  return out;
}

struct Moment {
  Seconds elapsed;
  std::optional<std::size_t> epoch;
  Joules device;
};

// The samples added up, with a moment in between wherever an epoch ended.
std::vector<Moment> moments(const Profile& profile, Seconds until, Joules whole) {
  std::vector<Moment> all{{Seconds(), std::nullopt, Joules()}};
  const auto& samples = profile.samples;
  for (std::size_t i = 0; !samples.empty() && i < samples.front().end.size(); ++i) {
    if (samples.front().end[i] >= until) break;
    Joules sum = all.back().device;
    for (const SampleSeries& series : samples) sum = sum + series.energy[i];
    all.push_back({samples.front().end[i], std::nullopt, sum});
  }
  all.push_back({until, std::nullopt, whole});
  if (!profile.so_far) return all;
  std::vector<Moment> out;
  std::size_t epoch = 0;
  const auto& ends = profile.so_far->ends;
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (; epoch < ends.size() && ends[epoch] <= all[i].elapsed; ++epoch) {
      const Moment& a = all[i > 0 ? i - 1 : 0];
      const double apart = (all[i].elapsed - a.elapsed).value;
      const double share = apart > 0 ? (ends[epoch] - a.elapsed).value / apart : 1;
      out.push_back({ends[epoch], epoch + 1, a.device + (all[i].device - a.device) * share});
    }
    out.push_back(all[i]);
  }
  return out;
}

}  // namespace

std::vector<TimePoint> over_time(const Profile& profile, const Setting& setting,
                                 const Curve& curve) {
  const CurvePoint* last = last_recorded(curve);
  const bool has_samples = !profile.samples.empty() && have_same_ends(profile.samples);
  if (last == nullptr || !last->elapsed || (!has_samples && has_epochs(profile))) return {};
  const double pue = setting.pue ? setting.pue->value : 1.0;
  const Joules whole = last->device_energy.value;
  const auto point = [&](const Moment& moment) {
    // What is told of the end holds: rounding must not go beyond it.
    const Joules device = std::min(moment.device, whole);
    TimePoint out{moment.elapsed, moment.epoch, device, device * pue, std::nullopt};
    if (last->emissions) {
      const double share = whole > Joules(0) ? device.value / whole.value : 0;
      out.emissions = GramsCo2e(last->emissions->value.value * share);
    }
    return out;
  };
  std::vector<TimePoint> out;
  for (const Moment& moment : moments(profile, *last->elapsed, whole)) out.push_back(point(moment));
  return out;
}

}  // namespace wattree
