// A run's power over its whole length in a bounded number of points.
#pragma once

#include <vector>

#include "src/base/units.h"
#include "src/runs/track/record.h"

namespace wattree {

struct TracePoint {
  Seconds at;             // Its end, since the run began.
  Watts power;            // The mean.
  Watts lowest, highest;  // Of the seconds in it.
};

// Takes totals as they come. A longer run has coarser points: when there are too many, each two
// become one, and the lowest and highest second of both stay.
class PowerTrace {
 public:
  explicit PowerTrace(Nanos begun) : before_at_(begun), end_(begun), begun_(begun) {}
  void add(const Totals& totals);
  // At most so many points, 2 at least.
  std::vector<TracePoint> points(std::size_t most) const;

 private:
  struct Bucket {
    Nanos end = 0;
    Joules energy;
    Seconds duration;
    Watts lowest, highest;
  };
  static Bucket joined(const Bucket& a, const Bucket& b);
  static void halve(std::vector<Bucket>& buckets);

  std::vector<Bucket> buckets_;
  Joules before_;
  Nanos before_at_, end_, begun_;
  Nanos width_ = kNanosPerSecond;
};

}  // namespace wattree
