#include "src/measure/meter/series.h"

#include <cmath>

namespace wattree {

std::string_view name_of(Gap gap) {
  switch (gap) {
    case Gap::kNone: return "none";
    case Gap::kAbsent: return "the meter did not answer";
    case Gap::kLate: return "no reading for too long";
    case Gap::kReset: return "the counter was reset";
    case Gap::kJump: return "the counter jumped";
    case Gap::kUnsure: return "the counter may have wrapped more than once";
  }
  return "";
}

CountDelta count_between(std::uint64_t before, std::uint64_t after, std::uint64_t wrap,
                         double most) {
  // With time enough for a whole turn, any difference may hide one.
  if (wrap > 0 && most >= static_cast<double>(wrap)) return {0, Gap::kUnsure};
  if (after >= before) {
    const std::uint64_t counts = after - before;
    if (most > 0.0 && static_cast<double>(counts) > most) return {0, Gap::kJump};
    return {counts, Gap::kNone};
  }
  // It fell. A wrap explains that only if what it makes of it is possible.
  if (wrap == 0 || before > wrap) return {0, Gap::kReset};
  const std::uint64_t counts = wrap - before + after;
  if (most > 0.0 && static_cast<double>(counts) > most) return {0, Gap::kReset};
  return {counts, Gap::kNone};
}

Series::Series(const Description& description, Nanos longest)
    : kind_(description.kind),
      resolution_(description.resolution),
      wrap_(description.wrap),
      most_per_second_(description.most_per_second),
      longest_(longest) {}

bool Series::add(const Reading& reading, Point& point) {
  absence_ = reading.sample.absence;
  if (kind_ == Kind::kLevel && !std::isfinite(reading.sample.level)) {
    absence_ = Absence::kUnreadable;
  }
  if (absence_ != Absence::kNone) {
    pending_ = Gap::kAbsent;
    return false;
  }
  point = last_;
  point.begun = reading.begun;
  point.ended = reading.ended;
  point.level = reading.sample.level;
  point.count = reading.sample.count;
  point.gap = Gap::kNone;
  point.has_stepped = false;
  if (!is_first_) {
    const double passed = seconds(point.time() - last_.time());
    if (kind_ == Kind::kCounter) {
      add_count(reading.sample.count, passed, point);
    } else {
      add_level(reading.sample.level, passed, point);
    }
    if (point.gap == Gap::kNone) point.covered_seconds += passed;
  }
  last_count_ = reading.sample.count;
  last_ = point;
  pending_ = Gap::kNone;
  is_first_ = false;
  return true;
}

// A counter goes on counting while nobody looks, so that late and failed readings lose nothing.
void Series::add_count(std::uint64_t count, double seconds_passed, Point& point) {
  // A source that steps seldom hands in a whole step at once: more than has passed is allowed for.
  constexpr double kLongestStep = 0.25;
  const double most = most_per_second_ / resolution_ * (seconds_passed + kLongestStep);
  const CountDelta delta = count_between(last_count_, count, wrap_, most);
  counted_ += delta.counts;
  point.gap = delta.gap;
  point.has_stepped = count != last_count_;
  point.integral = static_cast<double>(counted_) * resolution_;
}

void Series::add_level(double level, double seconds_passed, Point& point) {
  point.has_stepped = level != last_.level;
  if (pending_ != Gap::kNone) {
    point.gap = pending_;
  } else if (point.begun - last_.ended > longest_) {
    point.gap = Gap::kLate;
  } else {
    point.integral += 0.5 * (last_.level + level) * seconds_passed;
  }
}

}  // namespace wattree
