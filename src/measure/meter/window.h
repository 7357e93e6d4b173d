// Windows: from a begin mark to an end mark, nested and overlapping as they like. Epochs and steps
// are windows. Nothing of this runs on the sampler's threads.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "src/measure/meter/history.h"

namespace wattree {

// What one meter says of a window: an amount in its unit (a level's in its unit times seconds), and
// the bounds that the counter's steps leave.
struct Amount {
  double value = 0.0;
  double low = 0.0;
  double high = 0.0;
  double covered_seconds = 0.0;  // Without gaps; `value` is the amount of this time alone.
  double gap_seconds = 0.0;
  bool is_settled = false;  // Otherwise later readings may still change it.
  bool is_known = false;    // Otherwise the meter has said nothing of it.
  // Of a level: its mean over the time that is covered. Of a counter: its rate.
  double mean() const { return covered_seconds > 0.0 ? value / covered_seconds : 0.0; }
};
Amount amount_between(const History& history, Nanos begun, Nanos ended);

struct Window {
  int id = 0;
  std::string name;
  Nanos begun = 0;
  Nanos ended = 0;
  std::vector<Amount> amounts;  // In the order of the meters.
};

class Windows {
 public:
  explicit Windows(const std::vector<const Description*>& meters);

  // A meter that says nothing until it joins: no window waits for it. When it does join, windows
  // that were open then have its amount from `at` on, and the time before as a gap. To be called
  // before its first point is added.
  void set_dormant(std::size_t meter) { is_dormant_[meter] = true; }
  void join(std::size_t meter, Nanos at);

  // A point of one meter, as the sampler hands them out, in order.
  void add(std::size_t meter, const Point& point);

  int begin(std::string name, Nanos at);
  // False where there is no such open window. The end is never before the beginning.
  bool end(int id, Nanos at);

  // Windows that have ended and whose energy no later reading can change, in the order of their
  // ends. A meter that has gone silent is waited for for some seconds, not for ever. With
  // `is_final`, when no more readings come, all that have ended, as well as they are known.
  std::vector<Window> take_finished(bool is_final = false);

  // An open window as it is at `now`.
  std::optional<Window> peek(int id, Nanos now) const;

  // Until when all meters that still answer have been read.
  Nanos known_until(Nanos now) const;

  // What a meter's integral was; unknown where there is no reading from before.
  Edge at(std::size_t meter, Nanos time) const { return histories_[meter].at(time); }

  // How long after its end a window settles, at worst, with readings every `period`.
  Nanos settling_time(Nanos period) const;

 private:
  struct Pending {
    Window window;
    std::vector<Edge> edges;  // At the beginning; settled ones are not asked for again.
    bool is_over = false;
  };
  void settle(Pending& pending);
  void forget();

  std::vector<const Description*> meters_;
  std::vector<History> histories_;
  std::vector<bool> is_dormant_;
  std::vector<Pending> pending_;
  int next_id_ = 1;
  Nanos newest_ = 0;  // Of all points.
};

// Energy as the user is told: all of it, what idling would have taken in the same time, and the
// difference. The difference may be below zero: then the work took less than idling was said to.
struct EnergySplit {
  Joules gross;
  Joules idle;
  Joules above_idle;
};
constexpr EnergySplit split_energy(Joules gross, Seconds covered, Watts idle_power) {
  const Joules idle = idle_power * covered;
  return {gross, idle, gross - idle};
}

// The sum over the meters that are counted, of one component or (without) of all.
struct EnergySum {
  Joules energy, low, high;
  double gap_seconds = 0.0;  // The longest of its parts'.
  Provenance provenance;
  int meters = 0;  // None: nothing is known, and the energy is not zero but unknown.
};
EnergySum sum_energy(const std::vector<const Description*>& meters,
                     const std::vector<Amount>& amounts,
                     std::optional<Component> component = std::nullopt);

}  // namespace wattree
