// What a journal of a run says, record by record. Every record is a fact that stands by itself:
// totals are since the beginning, so that a lost one is made good by the next.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "src/base/provenance.h"
#include "src/base/result.h"
#include "src/base/units.h"
#include "src/base/utc_time.h"
#include "src/measure/meter/clock.h"
#include "src/runs/profile/profile.h"

namespace wattree {

struct RunMeter {
  std::string name;  // "gpu0.energy"
  std::string device;
  ComponentKind kind = ComponentKind::kMachine;
  Provenance provenance;
  bool operator==(const RunMeter&) const = default;
};

// First in every journal.
struct RunBegun {
  std::string name;
  std::string command;  // As typed; empty where a running process is followed.
  std::string tool;     // "wattree 0.1.0"
  std::string job;      // What it is part of, where that is known: "slurm 4711.0".
  std::int64_t process = 0;
  std::string host = {};  // The machine's name.
  UtcTime time;
  Nanos at = 0;  // The same moment on the clock of all other records.
  std::vector<RunMeter> meters;
  std::vector<HardwareEntry> hardware;
  std::string region;
  std::optional<RecordedIntensity> intensity;
  std::optional<Pue> pue;
  std::optional<std::int64_t> planned_epochs;
  std::optional<Joules> warn_above = {}, stop_above = {};  // Budgets, PUE included.
  std::string precision = {};             // That its products run in, as the user says.
  std::optional<Watts> power_limit = {};  // What the GPUs' power is held to, all together.
  bool operator==(const RunBegun&) const = default;
};

// What one meter says of a stretch of time. The energy is that of the time that is covered.
struct MeterEnergy {
  std::int64_t meter = 0;  // Position in RunBegun::meters.
  Joules energy, low, high;
  Seconds covered;
  bool operator==(const MeterEnergy&) const = default;
};

// Of all meters together.
Joules sum_of(const std::vector<MeterEnergy>& meters);

// Power of the meters before the command began, while the machine did what it does without it.
struct IdleMeasured {
  Seconds duration;
  std::vector<MeterEnergy> meters;
  bool operator==(const IdleMeasured&) const = default;
};

// Since the run began.
struct Totals {
  Nanos at = 0;
  std::vector<MeterEnergy> meters;
  bool operator==(const Totals&) const = default;
};

// An epoch that is open when the next one begins did not take place: the new one is in its place.
struct EpochBegun {
  Nanos at = 0;
  std::string name;
  bool is_tentative = false;  // Perhaps there is none: a line of output at its end would tell.
  bool operator==(const EpochBegun&) const = default;
};
// Of the epoch that was begun last. What it took follows when the meters have settled.
struct EpochEnded {
  Nanos at = 0;
  bool operator==(const EpochEnded&) const = default;
};
struct EpochMeasured {
  std::string name;
  Nanos begun = 0, ended = 0;
  std::vector<MeterEnergy> meters;
  bool is_untimed =
      false;  // Nobody knows when it was: `begun` and `ended` are when it was heard of.
  bool operator==(const EpochMeasured&) const = default;
};

// All steps of one name so far.
struct StepsMeasured {
  std::string name;
  std::int64_t count = 0;
  Seconds duration;
  std::optional<Joules> energy;  // Absent where no meter said anything.
  Joules low, high;              // Of it.
  bool operator==(const StepsMeasured&) const = default;
};

// Something that whoever reads the figures should know: a meter was lost, the run was paused.
struct RunNote {
  Nanos at = 0;
  std::string text;
  bool operator==(const RunNote&) const = default;
};

// Whether the run goes on.
enum class PauseState {
  kNone,
  kAsked,     // It goes on until the next epoch would begin.
  kStanding,  // The command waits.
};
struct PauseChanged {
  Nanos at = 0;
  PauseState state = PauseState::kNone;
  bool operator==(const PauseChanged&) const = default;
};

struct RunEnded {
  Nanos at = 0;
  std::optional<std::int64_t> exit_code;  // Unknown where a process was followed.
  std::string stopped = {};               // Why the tracker ended it; empty: it did not.
  bool operator==(const RunEnded&) const = default;
};

using Record = std::variant<RunBegun, IdleMeasured, Totals, EpochBegun, EpochEnded, EpochMeasured,
                            StepsMeasured, RunNote, PauseChanged, RunEnded>;

// One line of JSON, and back. `origin` names the record in errors.
std::string to_line(const Record& record);
Result<Record> parse_record(std::string_view line, const std::string& origin);

}  // namespace wattree
