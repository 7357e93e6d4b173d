#include "src/measure/meter/sampler.h"

#include <algorithm>
#include <string>

namespace wattree {
namespace {

// A level is believed over a reading or two that came late, and over what a busy machine's
// scheduler may take; not over more.
Nanos longest_pause(Nanos every) { return std::max(3 * every, 250 * kNanosPerMillisecond); }

// Reading a source more than five times in the time it takes to change costs and gains nothing.
Nanos reading_period(const Description& description, const SamplerOptions& options) {
  const Nanos wanted =
      description.is_energy() ? options.period : std::max(options.period, options.use_period);
  return std::max(wanted, static_cast<Nanos>(description.period.value * 1e9 / 5.0));
}

// Slow meters are read at least this often, whatever it takes.
constexpr Nanos kSlowestPace = kNanosPerSecond;
constexpr Nanos kStopPatience = 2 * kNanosPerSecond;

}  // namespace

Lane::Lane(const SamplerOptions& options, const Clock& clock)
    : options_(options),
      clock_(clock),
      events_(options.backlog),
      joining_(options.dormant.size() + 1) {}

void Lane::add(std::uint32_t index, Meter& meter) {
  const Nanos every = reading_period(meter.description(), options_);
  const bool is_dormant =
      std::find(options_.dormant.begin(), options_.dormant.end(), index) != options_.dormant.end();
  channels_.push_back(
      {index, &meter, Series(meter.description(), longest_pause(every)), every, 0, {}, is_dormant});
  channels_.back().pace = every;
}

void Lane::read(Channel& channel) {
  const Reading reading = take_reading(*channel.meter, clock_);
  const Nanos took = reading.ended - reading.begun;
  channel.cost = channel.last == 0 ? took : channel.cost + (took - channel.cost) / 8;
  channel.last = reading.begun;
  take(channel, reading);
}

void Lane::plan_next(Channel& channel, Nanos now) const {
  if (channel.meter->description().is_slow && options_.slow_share > 0) {
    const auto affordable =
        static_cast<Nanos>(static_cast<double>(channel.cost) / options_.slow_share);
    const Nanos slowest = std::max(channel.every, std::min(affordable, kSlowestPace));
    channel.due = channel.last + std::min(channel.pace, slowest);
    channel.pace = std::min(2 * channel.pace, slowest);
    return;
  }
  // Beats stay on their grid; those that were missed are skipped, not made up for.
  const Nanos beats = channel.due == 0 ? 0 : (now - channel.due) / channel.every + 1;
  channel.due = channel.due == 0 ? now + channel.every : channel.due + beats * channel.every;
}

void Lane::take(Channel& channel, const Reading& reading) {
  SampleEvent event;
  event.meter = channel.index;
  const bool is_present = channel.series.add(reading, event.point);
  event.absence = channel.series.absence();
  if (!is_present && channel.told == event.absence) return;
  channel.told = event.absence;
  if (!is_present) event.point.begun = event.point.ended = reading.ended;
  if (!events_.push(event)) dropped_.fetch_add(1, std::memory_order_relaxed);
}

Nanos Lane::poll(bool is_mark) {
  Joining joining;
  while (joining_.pop(joining)) {
    for (Channel& channel : channels_) {
      if (channel.index != joining.meter || !channel.is_dormant) continue;
      channel.is_dormant = false;
      take(channel, joining.before);
    }
  }
  // An hour at most: with dormant meters alone there is nothing to come back for.
  Nanos next = clock_.now() + 3600 * kNanosPerSecond;
  for (Channel& channel : channels_) {
    if (channel.is_dormant) continue;
    // The time of each: those before it may have taken some.
    const Nanos now = clock_.now();
    const bool is_slow = channel.meter->description().is_slow;
    if (is_mark && is_slow) {
      // Closely from here on; but marks may come more often than such a meter can be read.
      channel.pace = channel.every;
      channel.due = std::min(channel.due, channel.last + channel.every / 2);
    }
    const bool is_due = channel.due <= now;
    if (is_due || (is_mark && !is_slow)) read(channel);
    if (is_due) plan_next(channel, now);
    next = std::min(next, channel.due);
  }
  return next;
}

Sampler::Sampler(Meters meters, const SamplerOptions& options, const Clock& clock)
    : meters_(std::move(meters)), clock_(clock) {
  for (const bool is_slow : {false, true}) {
    auto runner = std::make_unique<Runner>(options, clock, is_slow);
    for (std::size_t i = 0; i < meters_.size(); ++i) {
      if (meters_[i]->description().is_slow == is_slow) {
        runner->lane.add(static_cast<std::uint32_t>(i), *meters_[i]);
      }
    }
    if (!runner->lane.is_empty()) runners_.push_back(std::move(runner));
  }
}

Sampler::~Sampler() {
  stop();
  if (!has_hung_) return;
  // Should the driver ever answer, its thread finds everything where it was.
  for (auto& runner : runners_) {
    [[maybe_unused]] const Runner* left = runner.release();
  }
  for (auto& meter : meters_) {
    [[maybe_unused]] const Meter* left = meter.release();
  }
}

Status Sampler::start() {
  for (const auto& runner : runners_) {
    Status failure = runner->thread.start(clock_);
    if (failure.ok()) continue;
    stop();
    return failure;
  }
  return {};
}

void Sampler::stop() {
  for (const auto& runner : runners_) runner->thread.ask_to_end();
  const Nanos until = boot_clock().now() + kStopPatience;
  for (const auto& runner : runners_) {
    if (!runner->thread.join(until)) has_hung_ = true;
  }
}

void Sampler::mark() {
  for (const auto& runner : runners_) runner->thread.ring();
}

void Sampler::join(const Joining& joining) {
  const bool is_slow = meters_[joining.meter]->description().is_slow;
  for (const auto& runner : runners_) {
    if (runner->is_slow != is_slow) continue;
    runner->lane.join(joining);
    runner->thread.ring();
  }
}

std::uint64_t Sampler::dropped() const {
  std::uint64_t sum = 0;
  for (const auto& runner : runners_) sum += runner->lane.dropped();
  return sum;
}

}  // namespace wattree
