// The steps that programs tell of (forward, backward, …): added up by name.
#pragma once

#include <map>
#include <set>
#include <string>
#include <utility>

#include "src/runs/track/epoch_socket.h"
#include "src/runs/track/run_meters.h"
#include "src/runs/track/run_recorder.h"

namespace wattree {

class StepBook {
 public:
  // Must live longer.
  explicit StepBook(RunMeters& meters) : meters_(meters) {}

  void begin(const EpochMessage& message, Nanos at);
  void end(const EpochMessage& message, Nanos at);
  void forget(int client);  // What it began will not end.

  bool has_unsettled() const { return !ended_.empty(); }
  // False where the window is none of a step.
  bool take_finished(const Window& window);
  // Writes down the sums that have changed since it was called last.
  void write_changed(RunRecorder& recorder);

 private:
  RunMeters& meters_;
  std::map<std::pair<int, std::string>, int> open_;  // Client and name to window.
  std::map<int, std::string> ended_;                 // Window to name.
  std::map<std::string, StepsMeasured> sums_;
  std::set<std::string> changed_;
};

}  // namespace wattree
