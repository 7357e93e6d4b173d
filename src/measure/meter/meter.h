// A meter: one quantity of one device that can be read again and again.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/provenance.h"
#include "src/base/units.h"
#include "src/measure/meter/clock.h"

namespace wattree {

enum class Kind {
  kCounter,  // Grows; what counts is the difference of two readings.
  kLevel     // A value now (power, use, clock); what counts is its integral or mean over time.
};
enum class Unit { kJoule, kWatt, kSecond, kPercent, kByte, kMegahertz, kCelsius, kBits };
enum class Component { kGpu, kCpu, kDram, kPlatform, kOther };
// What is told, for whoever looks for it: names are for people.
enum class Signal {
  kOther,
  kPower,         // Now, or as close to it as the source has.
  kPowerLimit,    // What power is held to.
  kUse,           // Time in which it worked: of a device in percent, of processors as seconds.
  kMemoryUse,     // Memory that is taken.
  kMemoryAccess,  // Time in which memory was read or written.
  kClock,
  kMemoryClock,
  kTemperature,
  kThrottle,  // Why clocks are lowered.
};
// Whose quantity it is: all of the machine's, one device's, a control group's (a container, a job)
// or one process's.
enum class Scope { kMachine, kDevice, kGroup, kProcess };

// Why there is no value.
enum class Absence {
  kNone,
  kNotSupported,  // This device does not have it.
  kPermission,    // It is there, but not for this user.
  kLost,          // The device, file or process is gone.
  kUnreadable     // Something came back that makes no sense, or the driver failed.
};

struct Description {
  std::string name;       // "gpu0.energy", "cpu0.package": unique, and stable between runs.
  std::string device;     // Whose: "NVIDIA H200 GPU-1b2c…", "package-0".
  std::string source;     // By whom: "NVML energy counter", "RAPL".
  std::string read_from;  // The function or file.
  std::string covers;     // What is in the number and, where people err, what is not.
  Kind kind = Kind::kLevel;
  Unit unit = Unit::kWatt;
  Signal signal = Signal::kOther;
  Component component = Component::kOther;
  Scope scope = Scope::kDevice;
  Boundary boundary = Boundary::kHost;
  Basis basis = Basis::kMeasured;
  Seconds period;           // How often the source itself changes; reading faster gains nothing.
  double resolution = 1.0;  // One count of a counter, or the least step of a level, in `unit`.
  // Counts after which a counter starts again at 0; 0 where it never does.
  std::uint64_t wrap = 0;
  // More than this cannot be: a counter that says so has jumped. Units of `unit` per second.
  double most_per_second = 0.0;
  // Energy and power only: part of the sum over all meters. Not so where another meter has it in.
  bool is_counted = false;
  std::string counted_by;  // The meter that has it in already; empty where there is none.
  bool is_slow = false;    // A reading may take milliseconds: it must not hold others up.
  bool is_shared = false;  // Instances of the device that others use (MIG) are in the number.

  // Energy or power, in the sum or beside it; everything else is use: features, not energy.
  bool is_energy() const { return is_counted || !counted_by.empty(); }
};

// What a meter gives: a counter its count, a level its level.
struct Sample {
  std::uint64_t count = 0;
  double level = 0.0;
  Absence absence = Absence::kNone;
};

// A sample and when it was taken: at some moment between `begun` and `ended`.
struct Reading {
  Sample sample;
  Nanos begun = 0;
  Nanos ended = 0;
  Nanos time() const { return begun + (ended - begun) / 2; }
  bool is_present() const { return sample.absence == Absence::kNone; }
};

class Meter {
 public:
  explicit Meter(Description description) : description_(std::move(description)) {}
  Meter(const Meter&) = delete;
  Meter& operator=(const Meter&) = delete;
  virtual ~Meter() = default;

  const Description& description() const { return description_; }
  // Allocates nothing, throws nothing. Called from one thread at a time.
  virtual Sample read() noexcept = 0;

 private:
  const Description description_;
};

inline Reading take_reading(Meter& meter, const Clock& clock) {
  Reading reading;
  reading.begun = clock.now();
  reading.sample = meter.read();
  reading.ended = clock.now();
  return reading;
}

using Meters = std::vector<std::unique_ptr<Meter>>;

// Something that cannot be measured here: what, why, and what would allow it.
struct Obstacle {
  std::string what;
  std::string why;
  std::string remedy;  // A command or a file; empty where nothing helps.
};

// What one process uses of one GPU, by the number that the driver knows it by.
struct GpuProcess {
  std::string gpu;  // "gpu0", as its meters' names begin.
  std::uint32_t process = 0;
  std::optional<std::uint64_t> memory_bytes;
  std::optional<double> sm_percent;  // In the driver's latest sample.
};

// What a search for meters has found.
struct Found {
  Meters meters;
  std::vector<Obstacle> obstacles;
  std::vector<GpuProcess> processes;  // At work on the GPUs that are measured.
};
void append(Found& all, Found more);

std::string_view name_of(Kind kind);
std::string_view name_of(Unit unit);    // As in "energy_j": j, w, s, percent, bytes, mhz, c, bits.
std::string_view symbol_of(Unit unit);  // For people: J, W, s, %, B, MHz, °C, bits.
std::string_view name_of(Component component);
std::string_view name_of(Scope scope);
std::string_view name_of(Absence absence);

}  // namespace wattree
