#include "src/measure/protocol/watch.h"

#include <algorithm>
#include <chrono>
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

struct Place {
  std::string_view suffix;  // Of the meter's name.
  std::size_t column;
};

// Of a counter its count in units, of a level the level.
std::optional<double> value_of(Meter& meter) {
  const Sample sample = meter.read();
  if (sample.absence != Absence::kNone) return std::nullopt;
  const Description& description = meter.description();
  return description.kind == Kind::kCounter
             ? static_cast<double>(sample.count) * description.resolution
             : sample.level;
}

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

}  // namespace

Watch::Watch(Meters meters, Component component, const WatchOptions& options, const Clock& clock)
    : meters_(std::move(meters)), options_(options), clock_(clock) {
  static constexpr Place kPlaces[] = {
      {"host.cpu", kHostCpu},         {"host.memory", kRam},
      {".utilisation", kGpu},         {".memory_utilisation", kGpuMemory},
      {".sm_clock", kSmClock},        {".memory_clock", kMemoryClock},
      {".temperature", kTemperature}, {".throttle", kThrottle},
  };
  std::string gpu;  // "gpu0.": the first one that has energy, whose state is kept.
  for (const auto& meter : meters_) {
    const Description& d = meter->description();
    if (component == Component::kGpu && d.is_counted && d.component == component && gpu.empty()) {
      gpu = d.name.substr(0, d.name.find('.') + 1);
      energy_.push_back({meter.get(), Series(d, kLongest), 0});
    } else if (component != Component::kGpu && d.is_counted && d.component != Component::kGpu) {
      energy_.push_back({meter.get(), Series(d, kLongest), 0});
    }
  }
  for (const auto& meter : meters_) {
    const Description& d = meter->description();
    if (d.component == Component::kGpu && (gpu.empty() || d.name.rfind(gpu, 0) != 0)) continue;
    if (ends_with(d.name, ".power_limit")) {
      power_limit_w_ = value_of(*meter);
    } else if (ends_with(d.name, ".power")) {
      columns_.emplace_back(kPower, meter.get());
    } else if (d.component == Component::kGpu && d.name == gpu + "memory") {
      columns_.emplace_back(kGpuMemoryUsed, meter.get());
    } else if (d.scope == Scope::kProcess && ends_with(d.name, ".cpu")) {
      columns_.emplace_back(kOwnCpu, meter.get());
    } else if (d.scope == Scope::kProcess && ends_with(d.name, ".memory")) {
      columns_.emplace_back(kOwnRam, meter.get());
    } else if (d.is_counted && d.kind == Kind::kCounter && component == Component::kGpu &&
               (d.component == Component::kCpu || d.component == Component::kDram)) {
      columns_.emplace_back(d.component == Component::kCpu ? kCpuEnergy : kDramEnergy, meter.get());
    } else {
      for (const Place& place : kPlaces) {
        if (ends_with(d.name, place.suffix)) columns_.emplace_back(place.column, meter.get());
      }
    }
  }
  for (const Source& source : energy_) descriptions_.push_back(&source.meter->description());
  has_ticks_ = energy_.size() == 1 && descriptions_.front()->kind == Kind::kCounter &&
               descriptions_.front()->period.value >= kTickingPeriod;
}

Watch::~Watch() { stop(); }

void Watch::start() {
  if (!threads_.empty()) return;
  is_stopping_ = false;
  const auto repeat = [this](Nanos pause, void (Watch::*read)()) {
    while (!is_stopping_) {
      (this->*read)();
      std::this_thread::sleep_for(std::chrono::nanoseconds(pause));
    }
  };
  if (has_energy()) {
    const Nanos pause = has_ticks_ ? options_.energy_pause : options_.smooth_pause;
    threads_.emplace_back(repeat, pause, &Watch::read_energy);
  }
  threads_.emplace_back(repeat, options_.state_period, &Watch::read_state);
}

void Watch::stop() {
  is_stopping_ = true;
  for (std::thread& thread : threads_) thread.join();
  threads_.clear();
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
    ticks_.push_back(has_ticks_ ? Tick{last_read_, read, sum} : Tick{begun, ended, sum});
  }
  last_read_ = read;
  last_energy_j_ = sum;
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
  out.sampled_power_w = mean(kPower);
  out.cpu_energy_j = scaled(rate(kCpuEnergy), seconds(ended - begun));
  out.dram_energy_j = scaled(rate(kDramEnergy), seconds(ended - begun));
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
