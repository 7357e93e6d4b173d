#include "src/runs/track/run.h"

#include <algorithm>
#include <cmath>

#include "src/base/amounts.h"

namespace wattree {
namespace {

constexpr std::size_t kMostSamples = 2048;
constexpr std::size_t kMostNotes = 1000;
constexpr std::size_t kMostStepNames = 256;
constexpr std::size_t kMostOpenEpochs = 1000;
constexpr Nanos kPowerOver = 3 * kNanosPerSecond;

const MeterEnergy* find_meter(const std::vector<MeterEnergy>& meters, std::int64_t meter) {
  for (const MeterEnergy& entry : meters) {
    if (entry.meter == meter) return &entry;
  }
  return nullptr;
}

// Of one meter at a moment between two totals: the straight line, and what it lies between.
MeterEnergy between(const Totals& before, const Totals& after, Nanos at, std::int64_t meter) {
  const MeterEnergy* a = find_meter(before.meters, meter);
  const MeterEnergy* b = find_meter(after.meters, meter);
  const MeterEnergy nothing{meter, {}, {}, {}, {}};
  if (b == nullptr) return a != nullptr ? *a : nothing;
  if (a == nullptr) a = &nothing;
  const Nanos apart = after.at - before.at;
  const double share =
      apart > 0
          ? std::clamp(static_cast<double>(at - before.at) / static_cast<double>(apart), 0.0, 1.0)
          : 1.0;
  return {meter, a->energy + (b->energy - a->energy) * share, a->energy, b->energy,
          a->covered + (b->covered - a->covered) * share};
}

}  // namespace

TrackedRun::TrackedRun(RunBegun begun) : begun_(std::move(begun)) {
  totals_.at = begun_.at;
  sampled_.resize(begun_.meters.size());
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

void TrackedRun::take(const StepsMeasured& steps) {
  if (steps_.size() >= kMostStepNames && !steps_.contains(steps.name)) return;
  steps_[steps.name] = steps;
}

void TrackedRun::take(const RunNote& note) {
  if (notes_.size() < kMostNotes) notes_.push_back(note);
}

void TrackedRun::take(const Totals& totals) {
  if (totals.at < totals_.at) return;
  sample(totals);
  for (Marked& marked : marked_) {
    if (!marked.begun.after) marked.begun.after = totals;
    if (marked.ended && !marked.ended->after) marked.ended->after = totals;
  }
  totals_ = totals;
  recent_.push_back(totals);
  while (recent_.size() > 2 && recent_[1].at <= totals.at - kPowerOver) recent_.pop_front();
}

void TrackedRun::sample(const Totals& totals) {
  if (sampled_.empty()) return;
  const double end = seconds(totals.at - begun_.at);
  while (true) {
    const double next = sample_every_ * static_cast<double>(sampled_.front().size() + 1);
    if (next > end) return;
    const Nanos at = begun_.at + static_cast<Nanos>(std::llround(next * 1e9));
    for (std::size_t i = 0; i < sampled_.size(); ++i) {
      sampled_[i].push_back(between(totals_, totals, at, static_cast<std::int64_t>(i)).energy);
    }
    if (sampled_.front().size() < kMostSamples) continue;
    // A longer run has coarser samples: every second one goes.
    for (std::vector<Joules>& series : sampled_) {
      for (std::size_t i = 0; 2 * i + 1 < series.size(); ++i) series[i] = series[2 * i + 1];
      series.resize(series.size() / 2);
    }
    sample_every_ *= 2;
  }
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
    const MeterEnergy a =
        between(marked.begun.before, marked.begun.after.value_or(totals_), marked.begun.at, meter);
    const MeterEnergy b = between(end.before, end.after.value_or(totals_), end.at, meter);
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

std::vector<SampleSeries> TrackedRun::samples() const {
  std::vector<SampleSeries> out;
  for (std::size_t i = 0; i < sampled_.size(); ++i) {
    if (sampled_[i].empty()) continue;
    const RunMeter& meter = begun_.meters[i];
    SampleSeries series{meter.name, meter.kind, {}, {}, meter.provenance};
    Joules before;
    for (std::size_t k = 0; k < sampled_[i].size(); ++k) {
      series.end.emplace_back(sample_every_ * static_cast<double>(k + 1));
      series.energy.push_back(std::max(sampled_[i][k] - before, Joules()));
      before = std::max(before, sampled_[i][k]);
    }
    out.push_back(std::move(series));
  }
  return out;
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
  if (!ended_) {
    add_note(last() > begun_.at
                 ? "the run's end is not recorded: the figures end " + to_text(duration()) +
                       " after its beginning, and what it took later is not in them"
                 : "the run's end is not recorded, nor anything else but its beginning");
  }
  for (const RunNote& note : notes_) add_note(note.text);
  return notes;
}

Profile TrackedRun::profile() const {
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
    out.outside = epoch_of(outside_of(epochs, std::move(whole)));
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
  out.samples = samples();
  return out;
}

}  // namespace wattree
