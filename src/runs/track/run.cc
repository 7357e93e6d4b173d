#include "src/runs/track/run.h"

#include <algorithm>
#include <cmath>

#include "src/base/amounts.h"

namespace wattree {
namespace {

// Samples in seconds: those that a profile keeps, and those of a chart while the run goes on.
constexpr double kProfileEvery = 10;
constexpr std::size_t kMostSamples = 2048;
constexpr double kChartEvery = 1;
constexpr std::size_t kMostOfChart = 512;
constexpr std::size_t kMostNotes = 1000;
constexpr std::size_t kMostPauses = 1000;
constexpr std::size_t kMostStepNames = 256;
constexpr std::size_t kMostOpenEpochs = 1000;
constexpr Nanos kPowerOver = 3 * kNanosPerSecond;

}  // namespace

TrackedRun::TrackedRun(RunBegun begun)
    : begun_(std::move(begun)),
      samples_(kProfileEvery, kMostSamples, begun_.meters.size()),
      seconds_(kChartEvery, kMostOfChart, begun_.meters.size()) {
  totals_.at = begun_.at;
  Totals nothing{begun_.at, {}};
  for (std::size_t i = 0; i < begun_.meters.size(); ++i) {
    nothing.meters.push_back({static_cast<std::int64_t>(i), {}, {}, {}, {}});
  }
  recent_.push_back(std::move(nothing));
}

void TrackedRun::apply(const Record& record) {
  std::visit([this](const auto& kind) { take(kind); }, record);
}

void TrackedRun::take(const EpochBegun& begun) {
  if (open_epoch()) marked_.pop_back();
  if (marked_.size() >= kMostOpenEpochs) return;
  marked_.push_back({begun.name, begun.is_tentative, mark(begun.at), std::nullopt});
}

void TrackedRun::take(const EpochEnded& ended) {
  if (!marked_.empty() && !marked_.back().ended) marked_.back().ended = mark(ended.at);
}

void TrackedRun::take(const EpochMeasured& measured) {
  std::erase_if(marked_, [&](const Marked& marked) {
    return marked.ended && marked.begun.at == measured.begun;
  });
  epochs_.push_back(measured);
  std::optional<Seconds> duration;
  if (!measured.is_untimed) duration = Seconds(seconds(measured.ended - measured.begun));
  epoch_sums_.add(sum_of(measured.meters), duration, has_startup(measured));
}

void TrackedRun::take(const PauseChanged& pause) {
  const bool stood = pause_ == PauseState::kStanding;
  pause_ = pause.state;
  if (pause_ == PauseState::kStanding && !stood && pauses_.size() < kMostPauses) {
    pauses_.push_back({"", false, mark(pause.at), std::nullopt});
  } else if (stood && pause_ != PauseState::kStanding && !pauses_.back().ended) {
    pauses_.back().ended = mark(pause.at);
  }
}

void TrackedRun::complete(Marked& marked, const Totals& totals) {
  if (!marked.begun.after) marked.begun.after = totals;
  if (marked.ended && !marked.ended->after) marked.ended->after = totals;
}

std::optional<TrackedRun::Standing> TrackedRun::standing() const {
  if (pauses_.empty()) return std::nullopt;
  Standing out;
  for (Marked pause : pauses_) {
    if (!pause.ended) pause.ended = Mark{std::max(last(), pause.begun.at), totals_, totals_};
    const EpochMeasured taken = estimate(pause);
    out.duration = out.duration + Seconds(seconds(taken.ended - taken.begun));
    out.energy = out.energy + sum_of(taken.meters);
  }
  return out;
}

void TrackedRun::take(const StepsMeasured& steps) {
  if (steps_.size() >= kMostStepNames && !steps_.contains(steps.name)) return;
  steps_[steps.name] = steps;
}

void TrackedRun::take(const RunNote& note) {
  if (notes_.size() < kMostNotes) notes_.push_back(note);
}

void TrackedRun::take(const Totals& totals) {
  if (totals.at < totals_.at) return;
  samples_.add(totals_, totals, begun_.at);
  seconds_.add(totals_, totals, begun_.at);
  for (Marked& marked : marked_) complete(marked, totals);
  if (!pauses_.empty()) complete(pauses_.back(), totals);
  totals_ = totals;
  recent_.push_back(totals);
  while (recent_.size() > 2 && recent_[1].at <= totals.at - kPowerOver) recent_.pop_front();
}

std::optional<EpochBegun> TrackedRun::open_epoch() const {
  if (marked_.empty() || marked_.back().ended) return std::nullopt;
  return EpochBegun{marked_.back().begun.at, marked_.back().name, marked_.back().is_tentative};
}

std::size_t TrackedRun::unmeasured() const {
  return static_cast<std::size_t>(
      std::count_if(marked_.begin(), marked_.end(),
                    [](const Marked& marked) { return marked.ended.has_value(); }));
}

Nanos TrackedRun::last() const {
  Nanos last = std::max(begun_.at, totals_.at);
  if (ended_) return std::max(last, ended_->at);
  if (!epochs_.empty()) last = std::max(last, epochs_.back().ended);
  for (const Marked& marked : marked_) {
    last = std::max(last, marked.ended ? marked.ended->at : marked.begun.at);
  }
  return last;
}

Seconds TrackedRun::duration() const { return Seconds(seconds(last() - begun_.at)); }

std::optional<Joules> TrackedRun::energy() const {
  if (totals_.meters.empty()) return std::nullopt;
  return sum_of(totals_.meters);
}

std::optional<Watts> TrackedRun::power() const {
  if (recent_.size() < 2) return std::nullopt;
  Watts sum;
  bool is_known = false;
  for (const MeterEnergy& now : recent_.back().meters) {
    const MeterEnergy* before = find_meter(recent_.front().meters, now.meter);
    if (before == nullptr || now.covered <= before->covered) continue;  // It has gone silent.
    sum = sum + (now.energy - before->energy) / (now.covered - before->covered);
    is_known = true;
  }
  if (!is_known) return std::nullopt;
  return sum;
}

EpochMeasured TrackedRun::estimate(const Marked& marked) const {
  const Mark& end = *marked.ended;
  EpochMeasured out{marked.name, marked.begun.at, std::max(end.at, marked.begun.at), {}};
  for (std::size_t i = 0; i < begun_.meters.size(); ++i) {
    const auto meter = static_cast<std::int64_t>(i);
    const MeterEnergy a = energy_between(marked.begun.before, marked.begun.after.value_or(totals_),
                                         marked.begun.at, meter);
    const MeterEnergy b = energy_between(end.before, end.after.value_or(totals_), end.at, meter);
    if (find_meter(totals_.meters, meter) == nullptr) continue;
    const Joules energy = std::max(b.energy - a.energy, Joules());
    out.meters.push_back({meter, energy, std::clamp(b.low - a.high, Joules(), energy),
                          std::max(b.high - a.low, energy),
                          std::max(b.covered - a.covered, Seconds())});
  }
  return out;
}

Epoch TrackedRun::epoch_of(const EpochMeasured& measured) const {
  Epoch epoch;
  epoch.start =
      begun_.time + std::chrono::duration_cast<std::chrono::microseconds>(
                        std::chrono::nanoseconds(std::max<Nanos>(measured.begun - begun_.at, 0)));
  const Seconds duration(seconds(std::max<Nanos>(measured.ended - measured.begun, 0)));
  epoch.duration = duration;
  if (measured.is_untimed) {
    epoch.start.reset();
    epoch.duration.reset();
  }
  Seconds gap;
  for (const MeterEnergy& part : measured.meters) {
    const auto index = static_cast<std::size_t>(part.meter);
    if (index >= begun_.meters.size()) continue;
    const RunMeter& meter = begun_.meters[index];
    ComponentEnergy energy;
    energy.component = meter.name;
    energy.kind = meter.kind;
    energy.energy = std::max(part.energy, Joules());
    energy.uncertainty = Joules(std::max(0.0, 0.5 * (part.high.value - part.low.value)));
    energy.provenance = meter.provenance;
    if (idle_) {
      const MeterEnergy* idle = find_meter(idle_->meters, part.meter);
      if (idle != nullptr && idle->covered > Seconds(0)) {
        energy.idle =
            (std::max(idle->energy, Joules()) / idle->covered) * std::max(part.covered, Seconds());
      }
    }
    // What is left after rounding is no gap.
    const Seconds missing = duration - part.covered;
    if (missing > Seconds(1e-6) && !measured.is_untimed)
      gap = std::max(gap, std::min(missing, duration));
    if (std::none_of(epoch.energy.begin(), epoch.energy.end(), [&](const ComponentEnergy& other) {
          return other.component == energy.component;
        })) {
      epoch.energy.push_back(std::move(energy));
    }
  }
  if (gap > Seconds(0)) epoch.gap = gap;
  return epoch;
}

// Measured or, where the tracker died before, estimated; by their beginning.
std::vector<EpochMeasured> TrackedRun::all_epochs() const {
  std::vector<EpochMeasured> out = epochs_;
  for (const Marked& marked : marked_) {
    if (marked.ended) out.push_back(estimate(marked));
  }
  std::stable_sort(out.begin(), out.end(),
                   [](const auto& a, const auto& b) { return a.begun < b.begun; });
  return out;
}

// What is left of the whole run, `rest`, without the epochs.
EpochMeasured TrackedRun::outside_of(const std::vector<EpochMeasured>& epochs, EpochMeasured rest) {
  Nanos inside = 0;
  for (const EpochMeasured& epoch : epochs) {
    inside += std::max<Nanos>(epoch.ended - epoch.begun, 0);
    for (MeterEnergy& part : rest.meters) {
      const MeterEnergy* in_epoch = find_meter(epoch.meters, part.meter);
      if (in_epoch == nullptr) continue;
      part.energy = part.energy - in_epoch->energy;
      part.low = part.low - in_epoch->high;
      part.high = part.high - in_epoch->low;
      part.covered = part.covered - in_epoch->covered;
    }
  }
  rest.ended = std::max(rest.begun, rest.ended - inside);
  for (MeterEnergy& part : rest.meters) {
    part.energy = std::max(part.energy, Joules());
    part.covered = std::max(part.covered, Seconds());
  }
  return rest;
}

std::string TrackedRun::notes_text() const {
  std::string notes = begun_.command.empty() ? "" : std::string(kCommandNote) + begun_.command;
  const auto add_note = [&](const std::string& text) {
    notes += (notes.empty() ? "" : "\n") + text;
  };
  if (const std::size_t estimated = unmeasured(); estimated > 0) {
    add_note("the tracker ended before the meters had settled: the energy of the last " +
             std::to_string(estimated) + " epochs lies on a straight line between two totals");
  }
  if (const auto open = open_epoch(); open && !open->is_tentative) {
    add_note("the last epoch was not finished; what it took is outside the epochs");
  }
  if (const auto stood = standing()) {
    add_note("it was paused for " + to_text(stood->duration) +
             " in all; what the devices took then, " +
             to_text(stood->energy, EnergyScale::kWithoutKilo) + ", is in the run's energy");
  }
  if (!ended_) {
    add_note(last() > begun_.at
                 ? "the run's end is not recorded: the figures end " + to_text(duration()) +
                       " after its beginning, and what it took later is not in them"
                 : "the run's end is not recorded, nor anything else but its beginning");
  }
  for (const RunNote& note : notes_) add_note(note.text);
  return notes;
}

std::optional<EpochMeasured> TrackedRun::open_so_far() const {
  const auto open = open_epoch();
  const bool has_more =
      !begun_.planned_epochs || static_cast<std::int64_t>(epochs_ended()) < *begun_.planned_epochs;
  // A line of output at an epoch's end tells that there was one: without any, there may be none.
  if (ended_ || !open || epochs_ended() == 0 || !has_more) return std::nullopt;
  Marked now = marked_.back();
  now.ended = Mark{std::max(totals_.at, open->at), totals_, totals_};
  return estimate(now);
}

Profile TrackedRun::profile_so_far() const {
  if (ended_) return profile();
  const std::optional<EpochMeasured> open = open_so_far();
  Profile out = make_profile(open);
  const auto begun = open_epoch();
  out.so_far = SoFar{std::nullopt,
                     epochs_ended() > 0 || (begun && !begun->is_tentative),
                     epochs_ended(),
                     {},
                     !begun_.meters.empty()};
  for (const EpochMeasured& epoch : all_epochs()) {
    out.so_far->ends.emplace_back(seconds(std::max<Nanos>(epoch.ended - begun_.at, 0)));
  }
  if (open) out.so_far->open = epoch_of(*open);
  out.samples = seconds_.series(begun_.meters);
  return out;
}

Profile TrackedRun::profile() const { return make_profile(std::nullopt); }

// What the open epoch took so far is not outside of the epochs, where it is given.
Profile TrackedRun::make_profile(const std::optional<EpochMeasured>& open) const {
  Profile out;
  out.name = begun_.name;
  out.tool = begun_.tool;
  out.hardware = begun_.hardware;
  out.region = begun_.region;
  out.intensity = begun_.intensity;
  out.pue = begun_.pue;
  out.planned_epochs = begun_.planned_epochs;
  out.precision = begun_.precision;
  const std::vector<EpochMeasured> epochs = all_epochs();
  EpochMeasured whole{"", begun_.at, last(), totals_.meters};
  for (const EpochMeasured& epoch : epochs) {
    out.epochs.push_back(epoch_of(epoch));
    out.epochs.back().has_startup = has_startup(epoch);
  }
  if (epochs.empty()) {
    out.epochs.push_back(epoch_of(whole));
    // Where only the beginning is recorded, nobody knows how long it took.
    if (!ended_ && last() <= begun_.at) out.epochs.back().duration.reset();
  } else {
    std::vector<EpochMeasured> inside = epochs;
    if (open) inside.push_back(*open);
    out.outside = epoch_of(outside_of(inside, std::move(whole)));
    out.outside->start.reset();  // It is in several pieces.
  }
  for (const auto& [name, steps] : steps_) {
    StepEnergy& step = out.steps.emplace_back();
    step.name = name;
    step.count = steps.count;
    step.duration = steps.duration;
    if (!steps.energy) continue;
    step.energy = std::max(*steps.energy, Joules());
    step.uncertainty = std::max((steps.high - steps.low) * 0.5, Joules());
  }
  out.notes = notes_text();
  out.samples = samples_.series(begun_.meters);
  return out;
}

}  // namespace wattree
