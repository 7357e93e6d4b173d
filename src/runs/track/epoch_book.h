// The epochs of a run: begun, ended and, when the meters have settled, measured.
#pragma once

#include <map>
#include <string>

#include "src/runs/track/run_meters.h"
#include "src/runs/track/run_recorder.h"

namespace wattree {

class EpochBook {
 public:
  // Both must live longer.
  EpochBook(RunRecorder& recorder, RunMeters& meters) : recorder_(recorder), meters_(meters) {}

  void begin(const std::string& name, Nanos at, bool is_tentative);
  // Nothing where none is open. An empty name leaves the one it has.
  void end(const std::string& name, Nanos at);
  // A pause is nobody's epoch: the one that is open begins again.
  void begin_again(Nanos at);

  bool has_open() const { return open_window_ != 0; }
  std::string next_name() const { return std::to_string(begun_ + 1); }
  bool has_unsettled() const { return !ended_.empty(); }
  // False where the window is none of an epoch.
  bool take_finished(const Window& window);

 private:
  RunRecorder& recorder_;
  RunMeters& meters_;
  int open_window_ = 0;               // 0: none is open.
  std::map<int, std::string> ended_;  // Window to name.
  std::size_t begun_ = 0;
};

}  // namespace wattree
