// The energy profile of a run: what it ran on, where, and what each epoch took.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/provenance.h"
#include "src/base/units.h"
#include "src/base/utc_time.h"
#include "src/facts/carbon/pue.h"
#include "src/facts/hardware/device.h"

namespace wattree {

// What a counter covers. kMachine: all of it together, where nobody knows the parts.
enum class ComponentKind { kGpu, kCpu, kMemory, kMachine };
std::string_view name_of(ComponentKind kind);
std::optional<ComponentKind> parse_component_kind(std::string_view name);

struct ComponentEnergy {
  std::string component;  // "gpu", "gpu0", "package-0": once in an epoch.
  ComponentKind kind = ComponentKind::kMachine;
  Joules energy;                      // Gross: idle power included.
  std::optional<Joules> idle;         // What idling would have taken in the same time.
  std::optional<Joules> uncertainty;  // Half-width, for example a counter's step.
  Provenance provenance;
  bool operator==(const ComponentEnergy&) const = default;
};

// Any window of a run. What was not measured is absent, never zero.
struct Epoch {
  std::optional<UtcTime> start;
  std::optional<Seconds> duration;
  std::optional<Seconds> gap;  // Part of the duration in which nothing was measured.
  bool has_startup = false;    // It began with the run: the command's start-up is in it.
  std::vector<ComponentEnergy> energy;
  bool operator==(const Epoch&) const = default;
};

// Finer than epochs: the energy used up to each time since the sample before it.
struct SampleSeries {
  std::string component;
  ComponentKind kind = ComponentKind::kMachine;
  std::vector<Seconds> end;  // Since the start of the run, rising.
  std::vector<Joules> energy;
  Provenance provenance;
  bool operator==(const SampleSeries&) const = default;
};

// All steps of one name (forward, backward, …) that the program told of. They lie in the epochs and
// outside of them, and may lie in each other.
struct StepEnergy {
  std::string name;
  std::int64_t count = 0;
  Seconds duration;                   // Of all together, as the energy.
  std::optional<Joules> energy;       // Of the devices.
  std::optional<Joules> uncertainty;  // Half-width.
  bool operator==(const StepEnergy&) const = default;
};

struct HardwareEntry {
  DeviceKind kind = DeviceKind::kGpu;
  std::string name;  // As the driver or the author gives it; find_device resolves it.
  int count = 1;
  bool operator==(const HardwareEntry&) const = default;
};

// The grid's figure when the run was recorded, so that later tables do not change old reports.
struct RecordedIntensity {
  CarbonIntensity intensity;
  Basis basis = Basis::kAssumed;
  std::string by;
  bool operator==(const RecordedIntensity&) const = default;
};

// Of a run that goes on: what its ended epochs do not tell. Never written to a file.
struct SoFar {
  std::optional<Epoch> open;  // The epoch that goes on.
  bool has_epochs = false;    // The run tells of epochs, ended or not.
  std::size_t ended = 0;      // Of them. Of none, the profile has the run so far as its only epoch.
  std::vector<Seconds> ends;  // Of each that has ended, since the run began; rising.
  bool has_meters = true;     // Something is measured or declared.
  bool operator==(const SoFar&) const = default;
};

struct Profile {
  std::string name;
  std::string author;  // Empty: not given; the same for the texts below.
  std::string source;  // The paper or page that published it.
  std::string notes;
  std::string precision;  // That its products run in: "bf16" (parse_compute_units).
  std::string tool;       // What wrote it: "wattree 0.1.0".
  std::vector<HardwareEntry> hardware;
  std::string region;    // Code in the table of regions.
  std::string location;  // As the author writes it, where that is no region we know.
  std::optional<RecordedIntensity> intensity;
  std::optional<Pue> pue;
  std::optional<std::int64_t> planned_epochs;
  std::vector<Epoch> epochs;
  std::optional<Epoch> outside;  // What the run took before, between and after its epochs.
  std::vector<StepEnergy> steps;
  std::vector<SampleSeries> samples;
  std::optional<SoFar> so_far = {};
  bool operator==(const Profile&) const = default;
};

// Over the components, without PUE; absent where the epoch has none.
std::optional<Joules> device_energy(const Epoch& epoch);
// Of the whole run: its epochs, and what it took outside of them.
std::optional<Joules> device_energy(const Profile& profile);
// Of what a run took outside its epochs; absent where that is nothing, or not known.
std::optional<Joules> outside_energy(const Profile& profile);
// The line of the notes that a run's command has; and notes without such lines, for whom it does
// not concern.
inline constexpr std::string_view kCommandNote = "command: ";
std::string without_command(std::string_view notes);
// Of the whole run; absent where an epoch does not say.
std::optional<Seconds> duration(const Profile& profile);
// Of the sum of everything in it; absent where there is nothing.
std::optional<Provenance> provenance(const Profile& profile);
// The epochs, the one that goes on, and last what was outside of them: together they are the run.
std::vector<const Epoch*> windows_of(const Profile& profile);
// Whether its epochs are epochs of the run: a single figure for all of it is none.
bool has_epochs(const Profile& profile);
// The names of all components, in the order of their first appearance.
std::vector<std::string> component_names(const Profile& profile);
// "4 × GeForce GTX 1080 Ti, 1 × Intel i7 2600K"; empty where the profile names none.
std::string hardware_text(const Profile& profile);
std::string hardware_text(const std::vector<HardwareEntry>& hardware);

}  // namespace wattree
