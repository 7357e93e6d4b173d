// Reads a machine's energy and state from threads of their own, while the main thread keeps the
// device busy: the energy all the time, because moments of ticks are what windows are cut at, and
// everything else some times a second.
#pragma once

#include <atomic>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "src/measure/meter/meter.h"
#include "src/measure/meter/sampling_thread.h"
#include "src/measure/meter/series.h"
#include "src/measure/protocol/ticks.h"
#include "src/measure/windows/resources.h"

namespace wattree {

// NVML's bits for clocks held down by power: the software cap and the hardware's power brake.
inline constexpr std::uint64_t kPowerCapReasons = 0x4 | 0x80;

struct WatchOptions {
  Nanos energy_pause = kNanosPerMillisecond / 2;   // Between readings of a counter with ticks.
  Nanos smooth_pause = 10 * kNanosPerMillisecond;  // Of one that changes all the time.
  Nanos state_period = 100 * kNanosPerMillisecond;
  unsigned cpus = 1;
  double ram_bytes = 0;  // 0: not known.
};

class Watch {
 public:
  // `component` is whose energy windows are cut by: of the GPU one meter, of the host the sum of
  // those that are counted. Where there is none, `has_energy` is false and only times are known.
  Watch(Meters meters, Component component, const WatchOptions& options, const Clock& clock);
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;
  ~Watch();

  // kUnavailable where the system has no thread to give.
  Status start();
  void stop();
  // One reading each; what the threads do, and what tests call.
  void read_energy();
  void read_state();

  bool has_energy() const { return !energy_.empty(); }
  const Clock& clock() const { return clock_; }
  const std::vector<const Description*>& energy_meters() const { return descriptions_; }
  std::optional<double> power_limit_w() const { return power_limit_w_; }
  std::int64_t readings() const { return readings_; }

  std::vector<Tick> ticks_from(Nanos time) const;
  Resources resources(Nanos begun, Nanos ended) const;
  // In how many of the looks since then a power limit held the clocks down.
  double capped_share(Nanos since) const;
  // The power readings of the last looks; fewer where there are fewer.
  std::vector<double> latest_powers(std::size_t count) const;
  // Why the energy meter does not answer any more.
  Absence failure() const { return failure_.load(); }
  // Drops what is older, so that a long session does not slow down.
  void forget_before(Nanos time);

 private:
  struct Source {
    Meter* meter;
    Series series;
  };
  struct State {
    Nanos time = 0;
    std::vector<std::optional<double>> values;  // By Column.
  };
  enum Column : std::size_t;
  std::optional<Column> column_of(const Description& description, Component component) const;
  std::vector<State> states_between(Nanos begun, Nanos ended) const;

  Meters meters_;
  WatchOptions options_;
  Clock clock_;
  std::vector<Source> energy_;
  std::vector<const Description*> descriptions_;
  std::vector<std::pair<std::size_t, Meter*>> columns_;
  std::optional<double> power_limit_w_;
  bool has_ticks_ = false;
  Nanos last_read_ = 0;

  mutable std::mutex mutex_;
  std::deque<Tick> ticks_;
  std::deque<State> states_;
  std::atomic<std::int64_t> readings_{0};
  std::atomic<Absence> failure_{Absence::kNone};
  std::vector<std::unique_ptr<SamplingThread>> threads_;
};

}  // namespace wattree
