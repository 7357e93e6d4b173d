// A tracked run as its records tell it. The live run and the one that is recovered after a crash
// are made by the same code, from the same records.
#pragma once

#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "src/runs/profile/profile.h"
#include "src/runs/track/energy_samples.h"
#include "src/runs/track/epoch_sums.h"
#include "src/runs/track/record.h"

namespace wattree {

class TrackedRun {
 public:
  explicit TrackedRun(RunBegun begun);
  // A long run is large: nobody copies one by accident.
  TrackedRun(const TrackedRun&) = delete;
  TrackedRun& operator=(const TrackedRun&) = delete;
  TrackedRun(TrackedRun&&) = default;
  TrackedRun& operator=(TrackedRun&&) = default;
  ~TrackedRun() = default;

  // Takes one more record in; a second RunBegun is left out.
  void apply(const Record& record);

  const RunBegun& begun() const { return begun_; }
  const std::optional<IdleMeasured>& idle() const { return idle_; }
  const std::vector<EpochMeasured>& epochs() const { return epochs_; }
  const EpochSums& epoch_sums() const { return epoch_sums_; }
  const std::map<std::string, StepsMeasured>& steps() const { return steps_; }
  const Totals& totals() const { return totals_; }
  const std::vector<RunNote>& notes() const { return notes_; }
  PauseState pause() const { return pause_; }
  // While the command stood, which is in the energy of the run; absent where it never did.
  struct Standing {
    Seconds duration;
    Joules energy;  // Of the devices.
  };
  std::optional<Standing> standing() const;
  const std::optional<RunEnded>& ended() const { return ended_; }
  // The epoch that is going on; absent between epochs.
  std::optional<EpochBegun> open_epoch() const;
  // Epochs that have ended, measured already or not.
  std::size_t epochs_ended() const { return epochs_.size() + unmeasured(); }

  // The end of the run, or the last moment that something is known of.
  Nanos last() const;
  Seconds duration() const;

  // Energy of the devices so far; absent where no meter has said anything.
  std::optional<Joules> energy() const;
  // Over the last seconds that are known; absent where they are not.
  std::optional<Watts> power() const;

  // Everything so far. Without epochs the whole run is one. An epoch whose end is recorded and what
  // it took is not (the tracker died in between) is computed from the totals around its edges, and
  // its uncertainty says so.
  Profile profile() const;
  // As it is at this moment, for those who watch: the epoch that goes on has its own figure, and
  // there is a sample for every second of a short run.
  Profile profile_so_far() const;

 private:
  // A moment between two totals.
  struct Mark {
    Nanos at = 0;
    Totals before;
    std::optional<Totals> after;
  };
  struct Marked {
    std::string name;
    bool is_tentative = false;
    Mark begun;
    std::optional<Mark> ended;
  };
  Mark mark(Nanos at) const { return {at, totals_, std::nullopt}; }
  // One for every kind of record: without it, apply() does not compile.
  void take(const RunBegun&) {}
  void take(const IdleMeasured& idle) { idle_ = idle; }
  void take(const Totals& totals);
  void take(const EpochBegun& begun);
  void take(const EpochEnded& ended);
  void take(const EpochMeasured& measured);
  void take(const StepsMeasured& steps);
  void take(const RunNote& note);
  void take(const PauseChanged& pause);
  void take(const RunEnded& ended) { ended_ = ended; }
  static void complete(Marked& marked, const Totals& totals);
  std::size_t unmeasured() const;
  bool has_startup(const EpochMeasured& epoch) const {
    return epoch.begun <= begun_.at && !epoch.is_untimed;
  }
  EpochMeasured estimate(const Marked& marked) const;
  Epoch epoch_of(const EpochMeasured& measured) const;
  std::optional<EpochMeasured> open_so_far() const;
  Profile make_profile(const std::optional<EpochMeasured>& open) const;
  std::vector<EpochMeasured> all_epochs() const;
  static EpochMeasured outside_of(const std::vector<EpochMeasured>& epochs, EpochMeasured rest);
  std::string notes_text() const;

  RunBegun begun_;
  std::optional<IdleMeasured> idle_;
  std::vector<EpochMeasured> epochs_;
  EpochSums epoch_sums_;
  std::vector<Marked> marked_;  // Begun, and not measured yet.
  std::map<std::string, StepsMeasured> steps_;
  Totals totals_;
  std::deque<Totals> recent_;  // For power.
  std::vector<RunNote> notes_;
  PauseState pause_ = PauseState::kNone;
  std::vector<Marked> pauses_;  // The last one may go on.
  std::optional<RunEnded> ended_;

  EnergySamples samples_, seconds_;
};

}  // namespace wattree
