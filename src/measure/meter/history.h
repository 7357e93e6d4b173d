// The latest points of one meter, and what its integral was at any moment among them.
#pragma once

#include <deque>

#include "src/measure/meter/series.h"

namespace wattree {

// An integral at one moment: the best estimate and what it must lie between.
//
// A counter is known only at its ticks: a reading shows the last tick before it. So at time t the
// integral is at least what a reading showed that ended before t, and at most what a reading showed
// whose tick came after t. That a tick came after t is certain where the reading began more than
// one and a half of the counter's periods later, or where the counter was seen to step between two
// readings that both began after t. Where a reading began just after t, the integral at t was less
// than what it showed by no more than the most that the device can take in that little time.
// Between ticks the estimate is a straight line.
//
// A level is known at its readings; between them it is a straight line. How far off that may be at
// an edge is taken from how much the readings around it differ: their spread times a period.
struct Edge {
  double integral = 0.0;
  double low = 0.0;
  double high = 0.0;
  double covered_seconds = 0.0;
  bool is_known = false;    // There is a reading from before that moment.
  bool is_settled = false;  // No later reading will change it.
};

class History {
 public:
  explicit History(const Description& description);

  void add(const Point& point);
  Edge at(Nanos time) const;
  bool is_empty() const { return points_.empty(); }
  const Point& latest() const { return points_.back(); }
  // Drops what no moment from `time` on needs.
  void forget_before(Nanos time);
  std::size_t size() const { return points_.size(); }

 private:
  Edge counter_at(Nanos time) const;
  Edge level_at(Nanos time) const;
  // When the count of a point was true: at its tick, as far as that is known.
  double tick_of(std::size_t point) const;
  std::size_t first_after(Nanos time) const;
  double covered_at(Nanos time, std::size_t after) const;
  // How long the last point may stand for what follows: a meter that has gone silent says nothing.
  double held_seconds(Nanos time) const;

  Kind kind_;
  Nanos period_;
  double most_per_second_;  // 0: not known.
  std::deque<Point> points_;
};

}  // namespace wattree
