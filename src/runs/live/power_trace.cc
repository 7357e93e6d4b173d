#include "src/runs/live/power_trace.h"

#include <algorithm>

namespace wattree {
namespace {
constexpr std::size_t kMostBuckets = 480;
}  // namespace

PowerTrace::Bucket PowerTrace::joined(const Bucket& a, const Bucket& b) {
  return {b.end, a.energy + b.energy, a.duration + b.duration, std::min(a.lowest, b.lowest),
          std::max(a.highest, b.highest)};
}

void PowerTrace::halve(std::vector<Bucket>& buckets) {
  const std::size_t size = buckets.size();
  for (std::size_t i = 0; 2 * i < size; ++i) {
    buckets[i] = 2 * i + 1 < size ? joined(buckets[2 * i], buckets[2 * i + 1]) : buckets[2 * i];
  }
  buckets.resize((size + 1) / 2);
}

void PowerTrace::add(const Totals& totals) {
  const Joules energy = sum_of(totals.meters);
  const Seconds duration(seconds(totals.at - before_at_));
  // Totals that go back are a counter's trouble and no power.
  if (totals.meters.empty() || duration <= Seconds(0) || energy < before_) return;
  const Watts power = (energy - before_) / duration;
  const Bucket now{totals.at, energy - before_, duration, power, power};
  before_ = energy;
  before_at_ = totals.at;
  if (buckets_.empty() || totals.at > end_) {
    buckets_.push_back(now);
    end_ = begun_ + ((totals.at - begun_ + width_ - 1) / width_) * width_;
  } else {
    buckets_.back() = joined(buckets_.back(), now);
  }
  if (buckets_.size() < kMostBuckets) return;
  halve(buckets_);
  width_ *= 2;
  end_ = begun_ + ((totals.at - begun_ + width_ - 1) / width_) * width_;
}

std::vector<TracePoint> PowerTrace::points(std::size_t most) const {
  std::vector<Bucket> buckets = buckets_;
  while (buckets.size() > std::max<std::size_t>(most, 2)) halve(buckets);
  std::vector<TracePoint> out;
  out.reserve(buckets.size());
  for (const Bucket& bucket : buckets) {
    out.push_back({Seconds(seconds(bucket.end - begun_)), bucket.energy / bucket.duration,
                   bucket.lowest, bucket.highest});
  }
  return out;
}

}  // namespace wattree
