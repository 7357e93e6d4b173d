// For tests only: a machine whose time stands still unless work or sleep moves it, and whose meters
// show exactly the energy that the test's powers make. An hour of it takes milliseconds.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "src/measure/protocol/protocol.h"
#include "src/measure/runner/launch.h"

namespace wattree {

struct SimulatedOptions {
  bool has_gpu_counter = true;
  bool has_rapl = false;
  double idle_w = 100;
  double limit_w = 700;
  Nanos tick = 100 * kNanosPerMillisecond;  // Of the GPU's counter.
  double other_cpus = 0;                    // That other processes keep busy.
};

class SimulatedMachine {
 public:
  explicit SimulatedMachine(const SimulatedOptions& options = {}) : options_(options) {}

  Clock clock() {
    return {[](void* self) { return static_cast<SimulatedMachine*>(self)->now; }, this};
  }
  Conduct conduct() {
    return {clock(), [this](Nanos duration) { pass(duration, options_.idle_w); },
            [this] { return is_stopped && is_stopped(*this); }};
  }

  Meters meters() {
    Meters out;
    if (options_.has_gpu_counter) {
      out.push_back(
          counter("gpu0.energy", Component::kGpu, 1e-3, 0.1, [this] { return shown_j_ / 1e-3; }));
      out.push_back(level("gpu0.power", Unit::kWatt, Signal::kPower, [this] { return power_; }));
      out.push_back(level("gpu0.power_limit", Unit::kWatt, Signal::kPowerLimit,
                          [this] { return options_.limit_w; }));
      out.push_back(level("gpu0.throttle", Unit::kBits, Signal::kThrottle,
                          [this] { return power_ >= options_.limit_w ? 4.0 : 0.0; }));
      out.push_back(level("gpu0.sm_clock", Unit::kMegahertz, Signal::kClock,
                          [this] { return power_ >= options_.limit_w ? 1500.0 : 1980.0; }));
    }
    if (options_.has_rapl) {
      out.push_back(counter("cpu0.package", Component::kCpu, 1e-6, 1e-3,
                            [this] { return energy_j_ / 1e-6; }));
    }
    Description cpu = description("host.cpu", Component::kCpu, Kind::kCounter, Unit::kSecond);
    cpu.scope = Scope::kMachine;
    cpu.signal = Signal::kUse;
    cpu.resolution = 0.01;
    out.push_back(std::make_unique<Probe>(
        cpu, [this] { return (seconds(now) * options_.other_cpus + busy_s_) / 0.01; }));
    Description own = description("process.1.cpu", Component::kCpu, Kind::kCounter, Unit::kSecond);
    own.scope = Scope::kProcess;
    own.signal = Signal::kUse;
    own.resolution = 0.01;
    out.push_back(std::make_unique<Probe>(own, [this] { return busy_s_ / 0.01; }));
    return out;
  }
  Component component() const {
    return options_.has_gpu_counter ? Component::kGpu : Component::kCpu;
  }
  // Reads `watch` as its threads would.
  void attach(Watch& watch) { watch_ = &watch; }

  // Time goes by at this power.
  void pass(Nanos duration, double watts) {
    if (disturbance) watts *= disturbance(now);
    power_ = watts;
    const Nanos end = now + duration;
    while (now < end) {
      const Nanos step = std::min(kNanosPerMillisecond, end - now);
      energy_j_ += watts * seconds(step);
      now += step;
      if (now / options_.tick != (now - step) / options_.tick) shown_j_ = energy_j_;
      if (watch_ == nullptr) continue;
      if (watch_->has_energy()) watch_->read_energy();
      if (now >= next_state_) {
        watch_->read_state();
        next_state_ = now + 100 * kNanosPerMillisecond;
      }
    }
  }
  // One processor works too.
  void work(Nanos duration, double watts) {
    busy_s_ += seconds(duration);
    pass(duration, watts);
  }

  Nanos now = 1'000 * kNanosPerSecond;
  std::function<bool(SimulatedMachine&)> is_stopped;
  std::function<double(Nanos)> disturbance;  // A factor on all powers.
  bool is_lost = false;                      // Every meter and every launch fails from now on.

 private:
  class Probe final : public Meter {
   public:
    Probe(Description description, std::function<double()> value, const bool* is_lost = nullptr)
        : Meter(std::move(description)), value_(std::move(value)), is_lost_(is_lost) {}
    Sample read() noexcept override {
      if (is_lost_ != nullptr && *is_lost_) return {0, 0.0, Absence::kLost};
      const double value = value_();
      return {static_cast<std::uint64_t>(value), value, Absence::kNone};
    }

   private:
    std::function<double()> value_;
    const bool* is_lost_;
  };

  static Description description(std::string name, Component component, Kind kind, Unit unit) {
    Description out;
    out.name = std::move(name);
    out.device = "simulated";
    out.source = "simulation";
    out.component = component;
    out.kind = kind;
    out.unit = unit;
    out.boundary = component == Component::kGpu ? Boundary::kGpu : Boundary::kHost;
    return out;
  }
  std::unique_ptr<Meter> counter(std::string name, Component component, double resolution,
                                 double period, std::function<double()> value) {
    Description out = description(std::move(name), component, Kind::kCounter, Unit::kJoule);
    out.resolution = resolution;
    out.period = Seconds(period);
    out.is_counted = true;
    return std::make_unique<Probe>(out, std::move(value), &is_lost);
  }
  std::unique_ptr<Meter> level(std::string name, Unit unit, Signal signal,
                               std::function<double()> value) {
    Description out = description(std::move(name), Component::kGpu, Kind::kLevel, unit);
    out.signal = signal;
    return std::make_unique<Probe>(out, std::move(value), &is_lost);
  }

  SimulatedOptions options_;
  Watch* watch_ = nullptr;
  double power_ = 0;
  double energy_j_ = 5'000;
  double shown_j_ = 5'000;
  double busy_s_ = 0;
  Nanos next_state_ = 0;
};

// What one run of a node takes on the simulated machine.
struct SimulatedWork {
  double run_s = 1e-3;
  double watts = 300;
};

class SimulatedLaunch final : public Launch {
 public:
  SimulatedLaunch(SimulatedMachine& machine, std::function<SimulatedWork()> work, int copies)
      : machine_(machine), work_(std::move(work)), copies_(copies) {}
  Status start() override {
    if (machine_.is_lost) return Error{ErrorCode::kUnavailable, "the device is lost", ""};
    queued_ += copies_;
    return {};
  }
  Status wait() override {
    if (machine_.is_lost) return Error{ErrorCode::kUnavailable, "the device is lost", ""};
    const SimulatedWork work = work_();
    machine_.work(static_cast<Nanos>(work.run_s * queued_ * 1e9), work.watts);
    queued_ = 0;
    return {};
  }
  int copies() const override { return copies_; }
  Execution execution() const override { return Execution::kGraph; }
  std::string_view why_eager() const override { return ""; }

 private:
  SimulatedMachine& machine_;
  std::function<SimulatedWork()> work_;
  int copies_;
  int queued_ = 0;
};

// Runs every node of a tree; what each takes is told by its test.
class SimulatedExecutor final : public Executor {
 public:
  using WorkOf = std::function<Result<SimulatedWork>(const ModelTree&, std::int32_t node,
                                                     const LaunchOptions&)>;
  SimulatedExecutor(SimulatedMachine& machine, WorkOf work)
      : machine_(machine), work_(std::move(work)) {
    facts_.name = "Simulated";
    facts_.kind = machine.component() == Component::kGpu ? "cuda" : "cpu";
    facts_.framework = "none";
  }
  Result<std::unique_ptr<Launch>> prepare(const ModelTree& tree, std::int32_t node,
                                          const LaunchOptions& options) override {
    prepared.push_back(node);
    if (machine_.is_lost) return Error{ErrorCode::kUnavailable, "the device is lost", ""};
    const Result<SimulatedWork> work = work_(tree, node, options);
    if (!work.ok()) return work.error();
    const SimulatedWork known = work.value();
    const int copies =
        options.copies > 0 ? options.copies : std::max(1, static_cast<int>(0.02 / known.run_s));
    return std::unique_ptr<Launch>(std::make_unique<SimulatedLaunch>(
        machine_, [known] { return known; }, copies));
  }
  const DeviceFacts& device() const override { return facts_; }

  std::vector<std::int32_t> prepared;

 private:
  SimulatedMachine& machine_;
  WorkOf work_;
  DeviceFacts facts_;
};

}  // namespace wattree
