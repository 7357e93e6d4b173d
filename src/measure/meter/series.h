// One meter's readings turned into energy: counters by difference, levels by trapezoid; what is not
// known is a gap, never a guess.
#pragma once

#include <cstdint>

#include "src/measure/meter/meter.h"

namespace wattree {

// Why nothing is known of the time before a point.
enum class Gap : std::uint8_t {
  kNone,
  kAbsent,  // The meter did not answer.
  kLate,    // Nobody asked for so long that a level in between is anybody's guess (suspension).
  kReset,   // A counter fell, and it was not its usual wrap.
  kJump,    // A counter grew by more than there can have been.
  kUnsure   // A counter may have wrapped more than once.
};
std::string_view name_of(Gap gap);

// One reading in its place.
struct Point {
  Nanos begun = 0, ended = 0;  // Of the reading.
  // Since the first reading, gaps left out: a counter's unit, or a level's unit times seconds (so W
  // becomes J).
  double integral = 0.0;
  double level = 0.0;            // Of a level: the reading itself.
  std::uint64_t count = 0;       // Of a counter: the reading itself.
  double covered_seconds = 0.0;  // Time since the first reading that is no gap.
  Gap gap = Gap::kNone;          // Between the point before and this one.
  bool has_stepped = false;      // A counter: it was not the same as at the point before.
  Nanos time() const { return begun + (ended - begun) / 2; }
};

class Series {
 public:
  // A level is believed between two readings that are at most `longest` apart.
  Series(const Description& description, Nanos longest);

  // Takes one reading in. False where it is absent: there is no point then, and the next one that
  // is present has a gap before it.
  bool add(const Reading& reading, Point& point);

  Absence absence() const { return absence_; }  // Of the last reading.

 private:
  void add_count(std::uint64_t count, double seconds_passed, Point& point);
  void add_level(double level, double seconds_passed, Point& point);

  Kind kind_;
  double resolution_;
  std::uint64_t wrap_;
  double most_per_second_;
  Nanos longest_;
  bool is_first_ = true;
  Absence absence_ = Absence::kNone;
  Gap pending_ = Gap::kNone;
  std::uint64_t last_count_ = 0;
  std::uint64_t counted_ = 0;  // Whole counts: no rounding builds up, however long the run.
  Point last_;
};

// What a counter counted between two readings, or why that cannot be known.
struct CountDelta {
  std::uint64_t counts = 0;
  Gap gap = Gap::kNone;
};
// `most` is how much it can have counted in that time; 0 where that is not known. Right for one
// wrap at most; where there was time for more, the answer is kUnsure.
CountDelta count_between(std::uint64_t before, std::uint64_t after, std::uint64_t wrap,
                         double most);

}  // namespace wattree
