#include "src/measure/protocol/watch.h"

#include <algorithm>
#include <cmath>

namespace wattree {

// What is kept of every look, and the meter that tells it.
enum Watch::Column : std::size_t {
  kHostCpu,
  kOwnCpu,
  kRam,
  kOwnRam,
  kGpu,
  kGpuMemory,
  kGpuMemoryUsed,
  kSmClock,
  kMemoryClock,
  kTemperature,
  kThrottle,
  kPower,
  kCpuEnergy,
  kDramEnergy,
  kColumns,
};

namespace {

// A source that changes less often than this is seen to step; another changes all the time.
constexpr double kTickingPeriod = 0.02;
// A level is believed between readings that are at most so far apart.
constexpr Nanos kLongest = kNanosPerSecond / 4;

// Of a counter its count in units, of a level the level.
std::optional<double> value_of(Meter& meter) {
  const Sample sample = meter.read();
  if (sample.absence != Absence::kNone) return std::nullopt;
  const Description& description = meter.description();
  return description.kind == Kind::kCounter
             ? static_cast<double>(sample.count) * description.resolution
             : sample.level;
}

}  // namespace

Watch::Watch(Meters meters, Component component, const WatchOptions& options, const Clock& clock)
    : meters_(std::move(meters)), options_(options), clock_(clock) {
  const Description* gpu = nullptr;  // The first one that has energy, whose state is kept.
  for (const auto& meter : meters_) {
    const Description& d = meter->description();
    const bool is_wanted = component == Component::kGpu ? d.component == component && gpu == nullptr
                                                        : d.component != Component::kGpu;
    if (!d.is_counted || !is_wanted) continue;
    if (component == Component::kGpu) gpu = &d;
    energy_.push_back({meter.get(), Series(d, kLongest)});
  }
  for (const auto& meter : meters_) {
    const Description& d = meter->description();
    if (d.component == Component::kGpu && (gpu == nullptr || d.device != gpu->device)) continue;
    if (d.signal == Signal::kPowerLimit) {
      power_limit_w_ = value_of(*meter);
    } else if (const auto column = column_of(d, component)) {
      columns_.emplace_back(*column, meter.get());
    }
  }
  for (const Source& source : energy_) descriptions_.push_back(&source.meter->description());
  has_ticks_ = energy_.size() == 1 && descriptions_.front()->kind == Kind::kCounter &&
               descriptions_.front()->period.value >= kTickingPeriod;
}

// Where what a meter tells is kept; nothing where it is not.
std::optional<Watch::Column> Watch::column_of(const Description& d, Component component) const {
  const bool is_gpu = d.component == Component::kGpu;
  switch (d.signal) {
    case Signal::kPower: return kPower;
    case Signal::kMemoryAccess: return kGpuMemory;
    case Signal::kClock: return kSmClock;
    case Signal::kMemoryClock: return kMemoryClock;
    case Signal::kTemperature: return kTemperature;
    case Signal::kThrottle: return kThrottle;
    case Signal::kUse:
      if (is_gpu) return kGpu;
      if (d.scope == Scope::kProcess) return kOwnCpu;
      if (d.scope == Scope::kMachine) return kHostCpu;
      return std::nullopt;
    case Signal::kMemoryUse:
      if (is_gpu) return kGpuMemoryUsed;
      if (d.scope == Scope::kProcess) return kOwnRam;
      if (d.scope == Scope::kMachine) return kRam;
      return std::nullopt;
    case Signal::kPowerLimit:
    case Signal::kOther: break;
  }
  // Counters of the host beside that of the GPU.
  if (component != Component::kGpu || !d.is_counted || d.kind != Kind::kCounter)
    return std::nullopt;
  if (d.component == Component::kCpu) return kCpuEnergy;
  if (d.component == Component::kDram) return kDramEnergy;
  return std::nullopt;
}

Watch::~Watch() { stop(); }

Status Watch::start() {
  if (!threads_.empty()) return {};
  const auto add = [this](Nanos pause, void (Watch::*read)()) {
    threads_.push_back(std::make_unique<SamplingThread>([this, pause, read](bool) {
      (this->*read)();
      return clock_.now() + pause;
    }));
    return threads_.back()->start(clock_);
  };
  Status started;
  if (has_energy()) {
    started = add(has_ticks_ ? options_.energy_pause : options_.smooth_pause, &Watch::read_energy);
  }
  if (started.ok()) started = add(options_.state_period, &Watch::read_state);
  if (!started.ok()) stop();
  return started;
}

void Watch::stop() {
  for (const auto& thread : threads_) thread->ask_to_end();
  threads_.clear();  // Each waits for its end.
}

void Watch::read_energy() {
  Nanos begun = 0;
  Nanos ended = 0;
  double sum = 0;
  bool has_stepped = false;
  const bool is_first = readings_ == 0;
  for (Source& source : energy_) {
    const Reading reading = take_reading(*source.meter, clock_);
    Point point;
    if (!source.series.add(reading, point) || point.gap != Gap::kNone) {
      failure_ = reading.is_present() ? Absence::kUnreadable : reading.sample.absence;
      return;
    }
    if (begun == 0) begun = reading.begun;
    ended = reading.ended;
    has_stepped = has_stepped || point.has_stepped || !has_ticks_;
    sum += point.integral;
  }
  failure_ = Absence::kNone;
  // The source was looked at at some moment of the call: say, in the middle.
  const Nanos read = begun + (ended - begun) / 2;
  ++readings_;
  if (!is_first && has_stepped) {
    const std::lock_guard lock(mutex_);
    ticks_.push_back(has_ticks_ ? Tick{last_read_, read, Joules(sum)}
                                : Tick{begun, ended, Joules(sum)});
  }
  last_read_ = read;
}

void Watch::read_state() {
  State state;
  state.values.resize(kColumns);
  for (const auto& [column, meter] : columns_) {
    const std::optional<double> value = value_of(*meter);
    // Several packages: their sum.
    if (value) state.values[column] = state.values[column].value_or(0.0) + *value;
  }
  state.time = clock_.now();
  const std::lock_guard lock(mutex_);
  states_.push_back(std::move(state));
}

std::vector<Tick> Watch::ticks_from(Nanos time) const {
  const std::lock_guard lock(mutex_);
  const auto first = std::find_if(ticks_.begin(), ticks_.end(),
                                  [&](const Tick& tick) { return tick.before >= time; });
  return {first, ticks_.end()};
}

std::vector<Watch::State> Watch::states_between(Nanos begun, Nanos ended) const {
  const std::lock_guard lock(mutex_);
  std::vector<State> out;
  for (const State& state : states_) {
    if (begun <= state.time && state.time <= ended) out.push_back(state);
  }
  return out;
}

Resources Watch::resources(Nanos begun, Nanos ended) const {
  const std::vector<State> states = states_between(begun, ended);
  // A short window may lie between two looks: what grows is taken from the look before it on.
  std::vector<State> ends = states_between(begun - 2 * options_.state_period, begun);
  if (!ends.empty()) ends.erase(ends.begin(), ends.end() - 1);
  const std::vector<State> later = states_between(begun + 1, ended + 2 * options_.state_period);
  if (!later.empty()) ends.push_back(later.back());
  Resources out;
  out.samples = static_cast<int>(states.size());
  const auto mean = [&](std::size_t column) -> std::optional<double> {
    double sum = 0;
    int known = 0;
    for (const State& state : states.empty() ? ends : states) {
      if (!state.values[column]) continue;
      sum += *state.values[column];
      ++known;
    }
    if (known == 0) return std::nullopt;
    return sum / known;
  };
  // A counter's growth between the first look and the last, for a second.
  const auto rate = [&](std::size_t column) -> std::optional<double> {
    if (ends.size() < 2) return std::nullopt;
    const auto& first = ends.front();
    const auto& last = ends.back();
    // It fell: it was reset, or it wrapped.
    if (!first.values[column] || !last.values[column] || last.time <= first.time ||
        *last.values[column] < *first.values[column]) {
      return std::nullopt;
    }
    return (*last.values[column] - *first.values[column]) / seconds(last.time - first.time);
  };
  const auto scaled = [](std::optional<double> value, double factor) {
    if (value) *value *= factor;
    return value;
  };
  // The kernel counts in hundredths of a second, and so a little too much now and then.
  const auto busy = [&](std::size_t column) {
    std::optional<double> percent = scaled(rate(column), 100.0 / options_.cpus);
    if (percent) *percent = std::min(*percent, 100.0);
    return percent;
  };
  out.cpu_percent = busy(kHostCpu);
  out.own_cpu_percent = busy(kOwnCpu);
  out.ram_percent = mean(kRam);
  if (options_.ram_bytes > 0) {
    out.own_ram_percent = scaled(mean(kOwnRam), 100.0 / options_.ram_bytes);
  }
  out.gpu_percent = mean(kGpu);
  out.gpu_memory_percent = mean(kGpuMemory);
  out.gpu_memory_used_percent = mean(kGpuMemoryUsed);
  out.sm_clock_mhz = mean(kSmClock);
  out.memory_clock_mhz = mean(kMemoryClock);
  out.temperature_c = mean(kTemperature);
  if (const auto power = mean(kPower)) out.sampled_power = Watts(*power);
  const auto energy = [&](std::size_t column) -> std::optional<Joules> {
    const auto power = rate(column);
    if (!power) return std::nullopt;
    return Watts(*power) * Seconds(seconds(ended - begun));
  };
  out.cpu_energy = energy(kCpuEnergy);
  out.dram_energy = energy(kDramEnergy);
  for (const State& state : states) {
    if (!state.values[kThrottle]) continue;
    out.throttle_reasons =
        out.throttle_reasons.value_or(0) | static_cast<std::uint64_t>(*state.values[kThrottle]);
  }
  return out;
}

double Watch::capped_share(Nanos since) const {
  const std::lock_guard lock(mutex_);
  int looks = 0;
  int held = 0;
  for (const State& state : states_) {
    if (state.time < since) continue;
    ++looks;
    const double reasons = state.values[kThrottle].value_or(0.0);
    if ((static_cast<std::uint64_t>(reasons) & kPowerCapReasons) != 0) ++held;
  }
  return looks > 0 ? static_cast<double>(held) / looks : 0.0;
}

std::vector<double> Watch::latest_powers(std::size_t count) const {
  const std::lock_guard lock(mutex_);
  std::vector<double> out;
  for (auto state = states_.rbegin(); state != states_.rend() && count > 0; ++state, --count) {
    if (state->values[kPower]) out.push_back(*state->values[kPower]);
  }
  return out;
}

void Watch::forget_before(Nanos time) {
  const std::lock_guard lock(mutex_);
  while (!ticks_.empty() && ticks_.front().before < time) ticks_.pop_front();
  while (!states_.empty() && states_.front().time < time) states_.pop_front();
}

}  // namespace wattree
