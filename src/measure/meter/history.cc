#include "src/measure/meter/history.h"

#include <algorithm>

namespace wattree {

History::History(const Description& description)
    : kind_(description.kind),
      period_(static_cast<Nanos>(description.period.value * 1e9)),
      most_per_second_(description.most_per_second) {}

void History::add(const Point& point) { points_.push_back(point); }

Edge History::at(Nanos time) const {
  if (points_.empty()) return {};
  Edge edge = kind_ == Kind::kCounter ? counter_at(time) : level_at(time);
  const std::size_t after = first_after(time);
  edge.covered_seconds = covered_at(time, after);
  edge.is_known = after > 0;
  return edge;
}

std::size_t History::first_after(Nanos time) const {
  const auto found = std::partition_point(points_.begin(), points_.end(),
                                          [&](const Point& p) { return p.time() <= time; });
  return static_cast<std::size_t>(found - points_.begin());
}

double History::covered_at(Nanos time, std::size_t after) const {
  if (after == 0) return points_.front().covered_seconds;
  const Point& before = points_[after - 1];
  if (after == points_.size()) return before.covered_seconds + held_seconds(time);
  const bool is_gap = points_[after].gap != Gap::kNone;
  return before.covered_seconds + (is_gap ? 0.0 : seconds(time - before.time()));
}

double History::held_seconds(Nanos time) const {
  Nanos apart = period_;
  if (points_.size() > 1) {
    apart = std::max(apart, points_.back().time() - points_[points_.size() - 2].time());
  }
  const double passed = seconds(time - points_.back().time());
  return passed <= 3.0 * seconds(apart) ? passed : 0.0;
}

double History::tick_of(std::size_t point) const {
  const auto at = static_cast<double>(points_[point].time());
  const double earliest = at - 0.5 * static_cast<double>(period_);
  if (point == 0) return earliest;
  return std::max(earliest, 0.5 * (at + static_cast<double>(points_[point - 1].time())));
}

Edge History::counter_at(Nanos time) const {
  Edge edge;
  const std::size_t count = points_.size();
  // The last reading that ended before, and the first that surely shows a later tick.
  std::size_t before = first_after(time);
  while (before > 0 && points_[before - 1].ended > time) --before;
  edge.low = before > 0 ? points_[before - 1].integral : points_.front().integral;
  if (before > 0 && before < count && most_per_second_ > 0.0 && points_[before].gap == Gap::kNone) {
    const double since = most_per_second_ * seconds(points_[before].ended - time);
    edge.low = std::max(edge.low, points_[before].integral - since);
  }
  std::size_t later = before;
  for (; later < count; ++later) {
    const Point& p = points_[later];
    const bool is_long_after = p.begun - period_ - period_ / 2 >= time;
    const bool was_seen_stepping = p.has_stepped && later > 0 && points_[later - 1].begun >= time;
    if (is_long_after || was_seen_stepping) break;
  }
  edge.is_settled = later < count;
  edge.high = points_[edge.is_settled ? later : count - 1].integral;

  // The ticks on both sides. A point that shows the same count as the one before is no tick.
  const auto now = static_cast<double>(time);
  std::size_t left = std::min(first_after(time) + 1, count);
  do {
    --left;
  } while (left > 0 && (!points_[left].has_stepped || tick_of(left) > now));
  std::size_t right = left + 1;
  while (right < count && !points_[right].has_stepped) ++right;
  edge.integral = points_[left].integral;
  if (right < count) {
    const double from = tick_of(left), to = tick_of(right);
    const double share = to > from ? std::clamp((now - from) / (to - from), 0.0, 1.0) : 1.0;
    edge.integral += share * (points_[right].integral - points_[left].integral);
  }
  edge.integral = std::clamp(edge.integral, edge.low, edge.high);
  return edge;
}

Edge History::level_at(Nanos time) const {
  Edge edge;
  const std::size_t after = first_after(time);
  if (after == 0) {
    edge.integral = points_.front().integral;
  } else {
    const Point& a = points_[after - 1];
    const double passed = seconds(time - a.time());
    edge.integral = a.integral;
    if (after == points_.size()) {
      edge.integral += a.level * held_seconds(time);  // Until the next reading comes.
    } else if (points_[after].gap == Gap::kNone) {
      const Point& b = points_[after];
      const double whole = seconds(b.time() - a.time());
      const double level = whole > 0.0 ? a.level + (b.level - a.level) * passed / whole : b.level;
      edge.integral += 0.5 * (a.level + level) * passed;
    }
  }
  // Two readings on each side, or what there is of them.
  const std::size_t first = after > 2 ? after - 2 : 0;
  const std::size_t last = std::min(after + 2, points_.size());
  double least = points_[first].level, most = least;
  Nanos apart = period_;
  for (std::size_t i = first; i < last; ++i) {
    least = std::min(least, points_[i].level);
    most = std::max(most, points_[i].level);
    if (i > first) apart = std::max(apart, points_[i].time() - points_[i - 1].time());
  }
  const double doubt = (most - least) * seconds(apart);
  edge.low = edge.integral - doubt;
  edge.high = edge.integral + doubt;
  edge.is_settled = last == after + 2;
  return edge;
}

void History::forget_before(Nanos time) {
  // Some before the moment are needed: for a counter the tick before it and the point before that,
  // for a level two readings.
  std::size_t keep = first_after(time);
  std::size_t steps = 0;
  while (keep > 0 && steps < 2) {
    --keep;
    if (kind_ == Kind::kLevel || points_[keep].has_stepped) ++steps;
  }
  if (keep > 1)
    points_.erase(points_.begin(), points_.begin() + static_cast<std::ptrdiff_t>(keep - 1));
}

}  // namespace wattree
