// A session: measures what it is asked to, one node after another, in random order and within a
// budget, watches with an anchor that the machine stays the same, and writes everything down at
// once.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "src/measure/protocol/job.h"
#include "src/measure/protocol/record.h"
#include "src/measure/windows/append_file.h"

namespace wattree {

// A pass that is measured again and again. Off by more than the tolerance three times running, what
// was measured since the last one is thrown out and measured again.
struct Anchor {
  const ModelTree* tree = nullptr;  // None: no anchor.
  double every_s = 60;
  double tolerance = 0.01;
};

struct SessionOptions {
  WindowSettings whole = whole_settings();
  WindowSettings node = node_settings();
  Anchor anchor;
  std::optional<MeasuredModel> model;  // Of the jobs; written down below the header.
  double budget_s = 0;                 // 0: as long as it takes.
  bool allow_graph = true;
  bool with_pauses = true;  // Of nodes at the power cap.
  bool allow_load = false;  // Go on although others use the machine; every window is marked.
  std::optional<double> standby_w;  // It starts when the device draws no more [when it rests].
  double most_other_cpu_percent = 10;
  double most_other_gpu_percent = 10;
  std::uint64_t seed = 1;
  MachineRoots roots;
  std::function<int()> other_processes = [] { return 0; };  // On the GPU.
  std::function<std::int64_t()> seconds_since_1970 = [] { return std::int64_t{0}; };
};

struct SessionProgress {
  std::size_t done = 0;
  std::size_t jobs = 0;
  double left_s = 0;  // By what the jobs before took.
  std::string doing;  // A scope, "anchor", "idle".
};

struct Skipped {
  std::string key;    // Of the window,
  std::string scope;  // and of its node.
  std::string why;
};

enum class Ending { kDone, kBudget, kInterrupted, kLost };
std::string_view name_of(Ending ending);

struct SessionResult {
  Ending ending = Ending::kDone;
  Error lost;  // Why the device or its meter is gone.
  std::vector<Skipped> skipped;
  Idle idle;
  MachineFacts machine;
  std::optional<Joules> anchor_energy;
  std::optional<Seconds> anchor_time;
  int discarded_blocks = 0;
  Seconds duration;
  std::size_t measured = 0;  // Windows.
};

// Measures the jobs whose windows are not in `figures` yet, and adds to it. An error where it
// cannot begin: the machine is busy, the meter does not answer, the file cannot be written.
Result<SessionResult> run_session(std::vector<Job> jobs, Executor& executor, Watch& watch,
                                  const Conduct& conduct, const SessionOptions& options,
                                  AppendFile& file, Figures& figures,
                                  const std::function<void(const SessionProgress&)>& show);

}  // namespace wattree
