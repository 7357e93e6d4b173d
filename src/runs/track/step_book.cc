#include "src/runs/track/step_book.h"

namespace wattree {
namespace {

// Beyond what can be meant, steps are not followed.
constexpr std::size_t kMostOpenSteps = 4096;

}  // namespace

void StepBook::begin(const EpochMessage& message, Nanos at) {
  if (open_.size() + ended_.size() >= kMostOpenSteps) return;
  open_[{message.client, message.name}] = meters_.windows().begin(message.name, at);
}

void StepBook::end(const EpochMessage& message, Nanos at) {
  const auto open = open_.find({message.client, message.name});
  if (open == open_.end()) return;
  meters_.windows().end(open->second, at);
  ended_[open->second] = message.name;
  open_.erase(open);
}

void StepBook::forget(int client) {
  std::erase_if(open_, [&](const auto& entry) { return entry.first.first == client; });
}

bool StepBook::take_finished(const Window& window) {
  const auto step = ended_.find(window.id);
  if (step == ended_.end()) return false;
  StepsMeasured& all = sums_[step->second];
  all.name = step->second;
  ++all.count;
  all.duration = all.duration + Seconds(seconds(window.ended - window.begun));
  for (const MeterEnergy& part : energies(window.amounts)) {
    all.energy = all.energy.value_or(Joules()) + part.energy;
    all.low = all.low + part.low;
    all.high = all.high + part.high;
  }
  changed_.insert(step->second);
  ended_.erase(step);
  return true;
}

void StepBook::write_changed(RunRecorder& recorder) {
  for (const std::string& name : changed_) recorder.write(sums_[name]);
  changed_.clear();
}

}  // namespace wattree
