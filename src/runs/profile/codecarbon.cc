#include "src/runs/profile/codecarbon.h"

#include <algorithm>
#include <array>
#include <map>

#include "src/base/csv.h"
#include "src/base/in_quotes.h"
#include "src/base/text.h"
#include "src/base/utf8.h"
#include "src/facts/carbon/region.h"
#include "src/runs/profile/codecarbon_row.h"

namespace wattree {
namespace {

constexpr std::size_t kMostRows = 100'000;
constexpr double kDirtiest = 1e5;  // In g/kWh: no grid, whatever it burns.

struct Part {
  std::string_view column;
  const char* component;
  ComponentKind kind;
  Boundary boundary;
};
constexpr std::array<Part, 3> kParts{
    Part{"gpu_energy", "gpu", ComponentKind::kGpu, Boundary::kGpu},
    Part{"cpu_energy", "cpu", ComponentKind::kCpu, Boundary::kHost},
    Part{"ram_energy", "ram", ComponentKind::kMemory, Boundary::kHost}};

Provenance provenance_of(const Part& part, const CodeCarbonRow& row) {
  const bool has_counter =
      part.kind == ComponentKind::kGpu && row.text("gpu_model").find("NVIDIA") != std::string::npos;
  if (has_counter) {
    return {Basis::kMeasured, "CodeCarbon, from the driver's energy counter", part.boundary};
  }
  const char* by = part.kind == ComponentKind::kMemory ? "CodeCarbon's model of memory"
                                                       : "CodeCarbon, which does not say how";
  return {Basis::kAssumed, by, part.boundary};
}

// What the row says of the run so far, at the devices.
Epoch so_far(CodeCarbonRow& row, double pue) {
  Epoch out;
  out.duration = Seconds(row.number("duration", 0, 1e12).value_or(0));
  for (const Part& part : kParts) {
    const std::optional<double> kwh = row.number(part.column, 0, 1e11);
    // It writes 0 where there is no such part, or nothing to measure it with.
    if (!kwh || *kwh == 0) continue;
    out.energy.push_back({part.component, part.kind, Joules(*kwh / pue * kJoulesPerKwh),
                          std::nullopt, std::nullopt, provenance_of(part, row)});
  }
  const std::optional<double> total = row.number("energy_consumed", 0, 1e11);
  if (out.energy.empty() && total) {
    out.energy.push_back(
        {"machine",
         ComponentKind::kMachine,
         Joules(*total / pue * kJoulesPerKwh),
         std::nullopt,
         std::nullopt,
         {Basis::kAssumed, "CodeCarbon, which does not say how", Boundary::kHost}});
  }
  return out;
}

// The later row's figures less the earlier one's; absent where one of them has shrunk, so that the
// rows are not of one run.
std::optional<Epoch> difference(const Epoch& later, const Epoch& earlier) {
  if (later.duration < earlier.duration || later.energy.size() < earlier.energy.size()) {
    return std::nullopt;
  }
  Epoch out = later;
  out.duration = *later.duration - *earlier.duration;
  for (const ComponentEnergy& before : earlier.energy) {
    const auto part = std::find_if(
        out.energy.begin(), out.energy.end(),
        [&](const ComponentEnergy& energy) { return energy.component == before.component; });
    if (part == out.energy.end() || part->energy < before.energy) return std::nullopt;
    part->energy = part->energy - before.energy;
  }
  return out;
}

void place(CodeCarbonRow& row, Profile& profile, std::vector<std::string>& notes) {
  const CodeCarbonPlace found = place_of(row);
  profile.region = found.region;
  profile.location = found.location;
  if (!found.note.empty()) notes.push_back(found.note);
}

std::string notes_of(CodeCarbonRow& row) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view before, std::string_view column, std::string_view after) {
    const std::string text = row.text(column);
    if (!text.empty()) parts.push_back(std::string(before) + text + std::string(after));
  };
  add("run ", "run_id", "");
  add("saved at ", "timestamp", " (local time)");
  add("", "emissions", " kg CO2e by CodeCarbon's count");
  add("tracking mode ", "tracking_mode", "");
  add("", "os", "");
  add("Python ", "python_version", "");
  return "Imported from CodeCarbon: " + join(parts);
}

Result<Profile> profile_of(CodeCarbonRow& row, std::vector<std::string>& notes) {
  Profile out;
  const std::string project = row.text("project_name");
  out.name = project.empty() ? "codecarbon" : project;
  if (const std::string time = row.text("timestamp"); !time.empty()) out.name += " " + time;
  out.tool = std::string(trimmed("codecarbon " + row.text("codecarbon_version")));
  out.notes = notes_of(row);
  out.hardware = hardware_of(row, notes);
  place(row, out, notes);
  const double pue = row.number("pue", 1, 10).value_or(1);
  if (pue > 1) out.pue = Pue{pue, Basis::kAssumed, "given to CodeCarbon"};
  const std::optional<double> kilograms = row.number("emissions", 0, 1e11);
  const std::optional<double> kwh = row.number("energy_consumed", 0, 1e11);
  const double intensity = kilograms && kwh && *kwh > 0 ? *kilograms * 1000 / *kwh : 0;
  if (intensity > 0 && intensity < kDirtiest) {
    out.intensity = RecordedIntensity{CarbonIntensity(intensity), Basis::kDerived,
                                      "CodeCarbon's emissions divided by its energy"};
  }
  if (row.failure()) return *row.failure();
  return out;
}

// Runs by their run_id, and how far each had come at its last row.
class Runs {
 public:
  explicit Runs(bool has_tasks) : has_tasks_(has_tasks) {}

  Status take(CodeCarbonRow& row) {
    const Epoch now = so_far(row, row.number("pue", 1, 10).value_or(1));
    if (row.failure()) return *row.failure();
    const std::string id = row.text("run_id");
    const auto known = id.empty() ? last_.end() : last_.find(id);
    if (known != last_.end()) {
      const std::optional<Epoch> since = has_tasks_ ? now : difference(now, known->second.so_far);
      if (since) {
        out.profiles[known->second.profile].epochs.push_back(*since);
        known->second.so_far = now;
        return {};
      }
      note(in_quotes(id) + " stands for several runs: each has a profile of its own");
    }
    std::vector<std::string> notes;
    Result<Profile> profile = profile_of(row, notes);
    if (!profile.ok()) return profile.error();
    for (const std::string& text : notes) note(text);
    out.profiles.push_back(std::move(profile).value());
    out.profiles.back().epochs.push_back(now);
    if (!id.empty()) last_.insert_or_assign(id, Last{out.profiles.size() - 1, now});
    return {};
  }

  ReadProfiles out;

 private:
  struct Last {
    std::size_t profile = 0;
    Epoch so_far;
  };

  void note(const std::string& text) {
    if (std::find(out.notes.begin(), out.notes.end(), text) == out.notes.end()) {
      out.notes.push_back(text);
    }
  }

  bool has_tasks_;  // Lines are of tasks, each with what that task took.
  std::map<std::string, Last> last_;
};

}  // namespace

bool is_codecarbon(std::string_view text) {
  const std::vector<std::string> names =
      split(text.substr(0, std::min(text.find('\n'), std::size_t{10'000})), ',');
  const auto has = [&](std::string_view name) {
    return std::any_of(names.begin(), names.end(),
                       [&](const std::string& other) { return trimmed(other) == name; });
  };
  return has("duration") && has("energy_consumed");
}

Result<ReadProfiles> read_codecarbon(std::string_view text, const std::string& origin) {
  if (!is_utf8(text)) {
    return Error{ErrorCode::kInvalidInput, origin + ": it is not UTF-8",
                 "save it as UTF-8, for example with `iconv`"};
  }
  CsvReader csv{std::string(text), origin};
  Runs runs(csv.column("task_name").has_value());
  runs.out.format = ProfileFormat::kCodeCarbon;
  for (std::size_t rows = 0; csv.next(); ++rows) {
    if (rows == kMostRows) {
      return csv.error("there are more than " + std::to_string(kMostRows) + " lines");
    }
    CodeCarbonRow row(csv);
    if (Status failure = runs.take(row); !failure.ok()) return failure.error();
  }
  if (!csv.failure().ok()) return csv.failure().error();
  if (runs.out.profiles.empty()) {
    return Error{ErrorCode::kInvalidInput, origin + ": there is no run in it", ""};
  }
  return std::move(runs.out);
}

}  // namespace wattree
