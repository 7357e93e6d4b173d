#include "src/runs/track/epoch_book.h"

namespace wattree {

void EpochBook::begin(const std::string& name, Nanos at, bool is_tentative) {
  ++begun_;
  open_window_ = meters_.windows().begin(name, at);
  recorder_.write(EpochBegun{at, name, is_tentative});
  meters_.mark();
}

void EpochBook::end(const std::string& name, Nanos at) {
  if (open_window_ == 0) return;
  const auto open = recorder_.run().open_epoch();
  meters_.windows().end(open_window_, at);
  ended_[open_window_] = !name.empty() || !open ? name : open->name;
  open_window_ = 0;
  recorder_.write(EpochEnded{at});
  recorder_.sync();
  meters_.mark();
}

void EpochBook::begin_again(Nanos at) {
  const auto open = recorder_.run().open_epoch();
  if (!open) return;
  meters_.windows().end(open_window_, at);
  open_window_ = 0;
  --begun_;
  begin(open->name, at, open->is_tentative);
}

bool EpochBook::take_finished(const Window& window) {
  const auto epoch = ended_.find(window.id);
  if (epoch == ended_.end()) return false;
  recorder_.write(
      EpochMeasured{epoch->second, window.begun, window.ended, energies(window.amounts)});
  ended_.erase(epoch);
  recorder_.sync();
  recorder_.tell(TrackEvent::kEpoch);
  return true;
}

}  // namespace wattree
