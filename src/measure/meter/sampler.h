// Reads meters again and again, on a thread of its own, and integrates what they say.
//
// One thread, one wait, no allocation once it runs. Meters that are slow to answer (NVML's energy
// counter takes milliseconds under load) get a second thread, so that the others keep their time;
// where there are none, there is no second thread. Nothing at all happens in the measured program.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "src/base/result.h"
#include "src/measure/meter/meter.h"
#include "src/measure/meter/ring.h"
#include "src/measure/meter/sampling_thread.h"
#include "src/measure/meter/series.h"

namespace wattree {

struct SamplerOptions {
  Nanos period = 100 * kNanosPerMillisecond;
  // Use, clocks and the like, which are features and not energy, cost as much to read and are read
  // less often: this period, where it is the longer one.
  Nanos use_period = 500 * kNanosPerMillisecond;
  // Events that are kept for whoever drains them. More are dropped and counted; integrals go on,
  // and later points have them in.
  std::size_t backlog = 8192;
  // Positions of meters that are not read until they are asked to join().
  std::vector<std::size_t> dormant = {};
  // The share of one core that reading a slow meter may take: beyond it, the meter is read closely
  // after marks alone, and less and less often then, down to once a second. 0: always closely.
  double slow_share = 0.005;
};

// A meter that is to be read from now on, and a reading of somebody else's to go on from.
struct Joining {
  std::uint32_t meter = 0;
  Reading before;
};

// What the sampler has to tell: a point, or that a meter stopped answering (once, not every time).
struct SampleEvent {
  std::uint32_t meter = 0;  // Position in the list of meters.
  Absence absence = Absence::kNone;
  Point point;  // Where it answered.
};

// The meters that one thread reads, each when it is due. Without a thread, for tests, poll() is all
// there is.
class Lane {
 public:
  Lane(const SamplerOptions& options, const Clock& clock);
  void add(std::uint32_t index, Meter& meter);
  bool is_empty() const { return channels_.empty(); }
  // The next poll() begins to read the meter; its integral goes on from that reading. From one
  // thread at a time, which need not be the one that polls.
  void join(const Joining& joining) { joining_.push(joining); }

  // Reads what is due and returns when to come back. At a mark everything is read, but for slow
  // meters that have just been.
  Nanos poll(bool is_mark);
  bool pop(SampleEvent& event) { return events_.pop(event); }
  std::uint64_t dropped() const { return dropped_.load(std::memory_order_relaxed); }

 private:
  struct Channel {
    std::uint32_t index;
    Meter* meter;
    Series series;
    Nanos every;
    Nanos due = 0;
    Absence told = Absence::kNone;
    bool is_dormant = false;
    Nanos pace = 0;  // Of a slow meter: until the next reading.
    Nanos last = 0;  // When it was last read,
    Nanos cost = 0;  // and how long that takes, as a rule.
  };
  void read(Channel& channel);
  void plan_next(Channel& channel, Nanos now) const;
  void take(Channel& channel, const Reading& reading);

  SamplerOptions options_;
  Clock clock_;
  std::vector<Channel> channels_;
  Ring<SampleEvent> events_;
  Ring<Joining> joining_;
  std::atomic<std::uint64_t> dropped_{0};
};

class Sampler {
 public:
  Sampler(Meters meters, const SamplerOptions& options, const Clock& clock = boot_clock());
  Sampler(const Sampler&) = delete;
  Sampler& operator=(const Sampler&) = delete;
  ~Sampler();

  const Meters& meters() const { return meters_; }
  const Clock& clock() const { return clock_; }

  Status start();
  // Reads everything once more, then ends the threads. Events can still be drained. A meter that
  // does not answer for two seconds (a driver that hangs) is left to itself, with its thread.
  void stop();

  // Asks for a reading now, so that a window's edge lies on one; returns at once. From any thread.
  void mark();

  // Begins to read a dormant meter, whose integral goes on from a reading that another program
  // took.
  void join(const Joining& joining);

  // Hands `take(const SampleEvent&)` everything since the last call; from one thread at a time.
  template <class Take>
  void drain(Take take) {
    SampleEvent event;
    for (const auto& runner : runners_) {
      while (runner->lane.pop(event)) take(event);
    }
  }
  std::uint64_t dropped() const;

 private:
  struct Runner {
    Runner(const SamplerOptions& options, const Clock& clock, bool slow)
        : lane(options, clock),
          is_slow(slow),
          thread([this](bool is_mark) { return lane.poll(is_mark); }) {}
    Lane lane;
    bool is_slow;
    SamplingThread thread;
  };

  Meters meters_;
  Clock clock_;
  // Quick meters and slow ones.
  std::vector<std::unique_ptr<Runner>> runners_;
  bool has_hung_ = false;
};

}  // namespace wattree
