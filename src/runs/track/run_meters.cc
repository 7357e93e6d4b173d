#include "src/runs/track/run_meters.h"

#include <poll.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace wattree {
namespace {

constexpr Nanos kPrimingAtMost = 500 * kNanosPerMillisecond;

ComponentKind kind_of(Component component) {
  switch (component) {
    case Component::kGpu: return ComponentKind::kGpu;
    case Component::kCpu: return ComponentKind::kCpu;
    case Component::kDram: return ComponentKind::kMemory;
    case Component::kPlatform:
    case Component::kOther: break;
  }
  return ComponentKind::kMachine;
}

std::vector<const Description*> descriptions_of(const Meters& meters) {
  std::vector<const Description*> out;
  for (const auto& meter : meters) out.push_back(&meter->description());
  return out;
}

SamplerOptions sampler_options(const TrackOptions& options) {
  SamplerOptions out;
  out.period = options.period;
  if (options.keeps_period) out.slow_share = 0;
  if (options.claims != nullptr) out.dormant = options.claims->elsewhere();
  return out;
}

}  // namespace

std::vector<MeterEnergy> energies(const std::vector<Amount>& amounts) {
  std::vector<MeterEnergy> out;
  for (std::size_t i = 0; i < amounts.size(); ++i) {
    const Amount& amount = amounts[i];
    if (!amount.is_known) continue;
    out.push_back({static_cast<std::int64_t>(i), Joules(amount.value), Joules(amount.low),
                   Joules(amount.high), Seconds(amount.covered_seconds)});
  }
  return out;
}

RunMeters::RunMeters(Meters meters, const TrackOptions& options)
    : claims_(options.claims),
      period_(options.period),
      sampler_(std::move(meters), sampler_options(options)),
      windows_(descriptions_of(sampler_.meters())),
      latest_(sampler_.meters().size()) {
  for (const std::size_t meter : elsewhere()) windows_.set_dormant(meter);
}

std::vector<std::size_t> RunMeters::elsewhere() const {
  return claims_ != nullptr ? claims_->elsewhere() : std::vector<std::size_t>();
}

std::vector<RunMeter> RunMeters::descriptions() const {
  std::vector<RunMeter> out;
  for (const auto& meter : sampler_.meters()) {
    const Description& d = meter->description();
    out.push_back({d.name, d.device, kind_of(d.component), {d.basis, d.source, d.boundary}});
  }
  return out;
}

Status RunMeters::start() {
  if (Status failure = sampler_.start(); !failure.ok()) return failure;
  prime();
  return {};
}

// A reading of every meter before the command begins: its first moments count too. One that does
// not answer is not waited for long.
void RunMeters::prime() {
  const Nanos until = clock().now() + kPrimingAtMost;
  std::set<std::size_t> answered;
  for (const std::size_t meter : elsewhere()) answered.insert(meter);
  while (answered.size() < sampler_.meters().size() && clock().now() < until) {
    sampler_.drain([&](const SampleEvent& event) {
      answered.insert(event.meter);
      take_point(event);
    });
    if (answered.size() < sampler_.meters().size()) ::poll(nullptr, 0, 1);
  }
}

void RunMeters::drain(const std::function<void(const std::string& text)>& is_silent) {
  sampler_.drain([&](const SampleEvent& event) {
    if (take_point(event)) return;
    is_silent(meter(event.meter).name + " does not answer: " + std::string(name_of(event.absence)));
  });
}

bool RunMeters::take_point(const SampleEvent& event) {
  if (event.absence != Absence::kNone) return false;
  windows_.add(event.meter, event.point);
  latest_[event.meter] = event.point;
  return true;
}

Nanos RunMeters::most_settling() const {
  return std::min(windows_.settling_time(period_), 600 * kNanosPerMillisecond);
}

std::vector<std::string> RunMeters::take_over() {
  std::vector<std::string> out;
  if (claims_ == nullptr) return out;
  for (const TakenOver& taken : claims_->take_over()) {
    windows_.join(taken.meter, taken.last.time());
    sampler_.join({static_cast<std::uint32_t>(taken.meter), taken.last});
    out.push_back(meter(taken.meter).name + " is counted here from now on: PID " +
                  std::to_string(taken.process) + ", which counted it, has ended");
  }
  return out;
}

void RunMeters::note_counted(Nanos at) const {
  if (claims_ == nullptr) return;
  for (std::size_t i = 0; i < latest_.size(); ++i) {
    const Edge edge = windows_.at(i, at);
    if (!latest_[i] || !edge.is_known) continue;
    Reading counted{{latest_[i]->count, latest_[i]->level, Absence::kNone}, at, at};
    if (meter(i).kind == Kind::kCounter) {
      // In the totals may be less than the counter shows by now.
      const auto more = static_cast<std::uint64_t>(
          std::llround(std::max(0.0, latest_[i]->integral - edge.integral) / meter(i).resolution));
      const bool has_wrapped = more > counted.sample.count;
      counted.sample.count += (has_wrapped ? meter(i).wrap : 0) - more;
    }
    claims_->note(i, counted);
  }
}

}  // namespace wattree
