// Writes down what happens in a run: first into its journal, then into the run itself, then to
// whoever observes it.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "src/measure/meter/clock.h"
#include "src/runs/track/journal.h"
#include "src/runs/track/run.h"

namespace wattree {

enum class TrackEvent { kBegun, kTotals, kEpoch, kState, kEnded };

// Called on the tracker's thread, after what is told is in the journal. To be quick.
struct TrackObserver {
  std::function<void(const Record&)> on_record;  // Every record, before the event that tells of it.
  std::function<void(const TrackedRun&, TrackEvent)> on_event;
  std::function<void(const std::string&)> on_message;  // For the user, once each.
};

class RunRecorder {
 public:
  // The observer must live longer.
  RunRecorder(const TrackObserver& observer, const Clock& clock)
      : observer_(observer), clock_(clock) {}

  // The run's first record. Where there can be no journal (an empty path: none is wanted) the user
  // is told, and the run goes on.
  void begin(const RunBegun& run, const std::filesystem::path& journal);
  bool has_begun() const { return run_.has_value(); }

  // Only once it has begun.
  void write(const Record& record);
  void note(const std::string& text) { write(RunNote{clock_.now(), text}); }
  const TrackedRun& run() const { return *run_; }
  TrackedRun take_run() { return std::move(*run_); }
  void sync();  // What is written, to the disk; without waiting for it.

  void say(const std::string& text) const;  // To the user.
  void note_and_say(const std::string& text);
  void tell(TrackEvent event) const;

 private:
  const TrackObserver& observer_;
  Clock clock_;
  std::unique_ptr<JournalWriter> journal_;
  std::optional<TrackedRun> run_;
};

}  // namespace wattree
