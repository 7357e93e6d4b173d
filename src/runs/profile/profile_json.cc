#include "src/runs/profile/profile_json.h"

#include <nlohmann/json.hpp>

#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/base/json_writer.h"
#include "src/facts/hardware/work_cost.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

// Beyond what any run can be; they keep arithmetic on the figures finite.
constexpr double kMaxJoules = 1e18;
constexpr double kMaxSeconds = 1e12;
constexpr double kMaxGramsPerKwh = 1e6;
constexpr std::size_t kMaxComponents = 1'000;  // Of one epoch: each is compared with the others.
constexpr std::int64_t kMaxCount = 1'000'000;
constexpr std::int64_t kMaxSteps = std::int64_t{1} << 53;

Provenance read_provenance(JsonFields& owner) {
  Provenance out;
  const Json* json = owner.object("basis", true);
  if (json == nullptr) return out;
  JsonFields fields = owner.below(*json, "basis");
  if (const auto basis = parse_basis(fields.text("kind", true))) {
    out.basis = *basis;
  } else {
    fields.complain("kind", "must be measured, published, derived, predicted or assumed");
  }
  out.by = fields.text("by");
  if (const auto boundary = parse_boundary(fields.text("boundary", true))) {
    out.boundary = *boundary;
  } else {
    fields.complain("boundary", "must be gpu, host, wall or facility");
  }
  fields.finish();
  return out;
}

ComponentKind read_component_kind(JsonFields& fields) {
  const auto kind = parse_component_kind(fields.text("kind", true));
  if (!kind) fields.complain("kind", "must be gpu, cpu, memory or machine");
  return kind.value_or(ComponentKind::kMachine);
}

std::optional<Joules> read_joules(JsonFields& fields, std::string_view name) {
  const auto number = fields.number(name, 0, kMaxJoules);
  if (!number) return std::nullopt;
  return Joules(*number);
}

std::optional<Seconds> read_seconds(JsonFields& fields, std::string_view name) {
  const auto number = fields.number(name, 0, kMaxSeconds);
  if (!number) return std::nullopt;
  return Seconds(*number);
}

ComponentEnergy read_component(JsonFields fields) {
  ComponentEnergy out;
  out.component = fields.text("component", true);
  out.kind = read_component_kind(fields);
  out.energy = Joules(fields.number("energy_j", 0, kMaxJoules, true).value_or(0));
  out.idle = read_joules(fields, "idle_j");
  out.uncertainty = read_joules(fields, "uncertainty_j");
  out.provenance = read_provenance(fields);
  fields.finish();
  return out;
}

Epoch read_epoch(JsonFields fields) {
  Epoch out;
  if (const std::string start = fields.text("start"); !start.empty()) {
    out.start = parse_utc(start);
    if (!out.start) fields.complain("start", "must be like 2026-05-01T12:00:00Z");
  }
  out.duration = read_seconds(fields, "duration_s");
  out.gap = read_seconds(fields, "gap_s");
  out.has_startup = fields.flag("includes_startup");
  if (const Json* parts = fields.array("energy")) {
    if (parts->size() > kMaxComponents) {
      fields.complain("energy", "has more than " + std::to_string(kMaxComponents) + " components");
      return out;
    }
    for (std::size_t i = 0; i < parts->size(); ++i) {
      ComponentEnergy part = read_component(fields.below((*parts)[i], "energy", i));
      for (const ComponentEnergy& other : out.energy) {
        if (other.component == part.component) {
          fields.complain("energy", "has \"" + part.component + "\" twice");
        }
      }
      out.energy.push_back(std::move(part));
    }
  }
  fields.finish();
  return out;
}

SampleSeries read_samples(JsonFields fields) {
  SampleSeries out;
  out.component = fields.text("component", true);
  out.kind = read_component_kind(fields);
  for (const double end : fields.numbers("end_s", 0, kMaxSeconds)) {
    if (!out.end.empty() && end <= out.end.back().value) fields.complain("end_s", "must rise");
    out.end.emplace_back(end);
  }
  for (const double energy : fields.numbers("energy_j", 0, kMaxJoules)) {
    out.energy.emplace_back(energy);
  }
  if (out.end.size() != out.energy.size()) {
    fields.complain("energy_j", "must be as long as end_s");
  }
  out.provenance = read_provenance(fields);
  fields.finish();
  return out;
}

StepEnergy read_step(JsonFields fields) {
  StepEnergy out;
  out.name = fields.text("name", true);
  out.count = fields.whole("count", 0, kMaxSteps, true).value_or(0);
  out.duration = Seconds(fields.number("duration_s", 0, kMaxSeconds, true).value_or(0));
  out.energy = read_joules(fields, "energy_j");
  out.uncertainty = read_joules(fields, "uncertainty_j");
  fields.finish();
  return out;
}

HardwareEntry read_hardware(JsonFields fields) {
  HardwareEntry out;
  const std::string kind = fields.text("kind", true);
  if (kind == "gpu") {
    out.kind = DeviceKind::kGpu;
  } else if (kind == "cpu") {
    out.kind = DeviceKind::kCpu;
  } else if (kind == "tpu") {
    out.kind = DeviceKind::kTpu;
  } else {
    fields.complain("kind", "must be gpu, cpu or tpu");
  }
  out.name = fields.text("name", true);
  out.count = static_cast<int>(fields.whole("count", 1, kMaxCount, true).value_or(1));
  fields.finish();
  return out;
}

// The basis and its source of a figure that covers no energy itself: an intensity, a PUE.
void read_source(JsonFields& owner, Basis& basis, std::string& by) {
  const Json* json = owner.object("basis", true);
  if (json == nullptr) return;
  JsonFields fields = owner.below(*json, "basis");
  if (const auto read = parse_basis(fields.text("kind", true))) {
    basis = *read;
  } else {
    fields.complain("kind", "must be measured, published, derived, predicted or assumed");
  }
  by = fields.text("by");
  fields.finish();
}

template <class Read, class T>
void read_all(JsonFields& fields, std::string_view name, Read read, std::vector<T>& out) {
  const Json* items = fields.array(name);
  if (items == nullptr) return;
  for (std::size_t i = 0; i < items->size(); ++i) {
    out.push_back(read(fields.below((*items)[i], name, i)));
  }
}

void write_basis(JsonWriter& out, Basis basis, std::string_view by) {
  out.key("basis");
  out.begin_object();
  out.field("kind", name_of(basis));
  if (!by.empty()) out.field("by", by);
  out.end_object();
}

void write_if(JsonWriter& out, std::string_view name, const std::string& text) {
  if (!text.empty()) out.field(name, text);
}

template <class Dimension>
void write_if(JsonWriter& out, std::string_view name,
              const std::optional<Quantity<Dimension>>& quantity) {
  if (quantity) out.field(name, quantity->value);
}

void write(JsonWriter& out, const Epoch& epoch) {
  out.begin_object();
  if (epoch.start) out.field("start", to_string(*epoch.start));
  write_if(out, "duration_s", epoch.duration);
  write_if(out, "gap_s", epoch.gap);
  if (epoch.has_startup) out.field("includes_startup", true);
  out.key("energy");
  out.begin_array();
  for (const ComponentEnergy& part : epoch.energy) {
    out.begin_object();
    out.field("component", part.component);
    out.field("kind", name_of(part.kind));
    out.field("energy_j", part.energy.value);
    write_if(out, "idle_j", part.idle);
    write_if(out, "uncertainty_j", part.uncertainty);
    out.key("basis");
    write_json(out, part.provenance);
    out.end_object();
  }
  out.end_array();
  out.end_object();
}

void write(JsonWriter& out, const StepEnergy& step) {
  out.begin_object();
  out.field("name", step.name);
  out.field("count", step.count);
  out.field("duration_s", step.duration.value);
  write_if(out, "energy_j", step.energy);
  write_if(out, "uncertainty_j", step.uncertainty);
  out.end_object();
}

void write(JsonWriter& out, const SampleSeries& series) {
  out.begin_object();
  out.field("component", series.component);
  out.field("kind", name_of(series.kind));
  out.key("end_s");
  out.begin_array();
  for (const Seconds end : series.end) out.value(end.value);
  out.end_array();
  out.key("energy_j");
  out.begin_array();
  for (const Joules energy : series.energy) out.value(energy.value);
  out.end_array();
  out.key("basis");
  write_json(out, series.provenance);
  out.end_object();
}

}  // namespace

Result<Profile> read_profile_json(std::string_view text, const std::string& origin) {
  Profile profile;
  // A run may have a million epochs: each becomes what it is at once, and never a document.
  Status bad_epoch;
  const auto take_epoch = [&](const Json& epoch, std::size_t index) {
    if (!bad_epoch.ok()) return;
    JsonFields fields(epoch, "epochs[" + std::to_string(index) + "].", origin, bad_epoch);
    if (index == 0) profile.epochs.clear();
    profile.epochs.push_back(read_epoch(std::move(fields)));
  };
  const Result<Json> json = parse_json(text, origin, "epochs", take_epoch);
  if (!json.ok()) return json.error();
  Status failure;
  JsonFields fields(json.value(), "", origin, failure);
  if (fields.text("format", true) != kProfileFormat) {
    fields.complain("format", "must be \"" + std::string(kProfileFormat) + "\"");
  }
  if (const auto version = fields.whole("version", 1, 1'000'000, true);
      version && *version != kProfileVersion) {
    return Error{ErrorCode::kInvalidInput,
                 origin + ": version " + std::to_string(*version) +
                     " of the profile format is not known to this wattree",
                 "a newer wattree reads it"};
  }
  profile.name = fields.text("name", true);
  profile.author = fields.text("author");
  profile.source = fields.text("source");
  profile.notes = fields.text("notes");
  profile.precision = fields.text("precision");
  if (!profile.precision.empty() && !parse_compute_units(profile.precision)) {
    fields.complain("precision", "must be fp32, tf32, bf16 or fp16");
  }
  profile.tool = fields.text("tool");
  profile.region = fields.text("region");
  profile.location = fields.text("location");
  profile.planned_epochs = fields.whole("planned_epochs", 1, kMaxCount);
  if (const Json* object = fields.object("intensity")) {
    JsonFields below = fields.below(*object, "intensity");
    RecordedIntensity& intensity = profile.intensity.emplace();
    intensity.intensity =
        CarbonIntensity(below.number("gco2e_per_kwh", 0, kMaxGramsPerKwh, true).value_or(0));
    read_source(below, intensity.basis, intensity.by);
    below.finish();
  }
  if (const Json* object = fields.object("pue")) {
    JsonFields below = fields.below(*object, "pue");
    Pue& pue = profile.pue.emplace();
    const double value = below.number("value", 0, 1e6, true).value_or(1);
    read_source(below, pue.basis, pue.by);
    below.finish();
    const Result<Pue> checked = make_pue(value, pue.basis, pue.by);
    if (!checked.ok()) below.complain("value", "is refused: " + checked.error().message);
    pue.value = value;
  }
  read_all(fields, "hardware", read_hardware, profile.hardware);
  fields.array("epochs");
  if (const Json* outside = fields.object("outside_epochs")) {
    profile.outside = read_epoch(fields.below(*outside, "outside_epochs"));
  }
  read_all(fields, "steps", read_step, profile.steps);
  read_all(fields, "samples", read_samples, profile.samples);
  fields.finish();
  if (!failure.ok()) return failure.error();
  if (!bad_epoch.ok()) return bad_epoch.error();
  return profile;
}

std::string write_profile_json(const Profile& profile, int indent) {
  JsonWriter out(indent);
  out.begin_object();
  out.field("format", kProfileFormat);
  out.field("version", std::int64_t{kProfileVersion});
  out.field("name", profile.name);
  write_if(out, "author", profile.author);
  write_if(out, "source", profile.source);
  write_if(out, "notes", profile.notes);
  write_if(out, "tool", profile.tool);
  write_if(out, "region", profile.region);
  write_if(out, "location", profile.location);
  if (profile.intensity) {
    out.key("intensity");
    out.begin_object();
    out.field("gco2e_per_kwh", profile.intensity->intensity.value);
    write_basis(out, profile.intensity->basis, profile.intensity->by);
    out.end_object();
  }
  if (profile.pue) {
    out.key("pue");
    out.begin_object();
    out.field("value", profile.pue->value);
    write_basis(out, profile.pue->basis, profile.pue->by);
    out.end_object();
  }
  if (!profile.precision.empty()) out.field("precision", profile.precision);
  if (profile.planned_epochs) out.field("planned_epochs", *profile.planned_epochs);
  write_hardware(out, profile.hardware);
  out.key("epochs");
  out.begin_array();
  for (const Epoch& epoch : profile.epochs) write(out, epoch);
  out.end_array();
  if (profile.outside) {
    out.key("outside_epochs");
    write(out, *profile.outside);
  }
  if (!profile.steps.empty()) {
    out.key("steps");
    out.begin_array();
    for (const StepEnergy& step : profile.steps) write(out, step);
    out.end_array();
  }
  if (!profile.samples.empty()) {
    out.key("samples");
    out.begin_array();
    for (const SampleSeries& series : profile.samples) write(out, series);
    out.end_array();
  }
  out.end_object();
  return out.take() + "\n";
}

void write_hardware(JsonWriter& out, const std::vector<HardwareEntry>& hardware) {
  out.key("hardware");
  out.begin_array();
  for (const HardwareEntry& entry : hardware) {
    out.begin_object();
    out.field("kind", name_of(entry.kind));
    out.field("name", entry.name);
    out.field("count", std::int64_t{entry.count});
    out.end_object();
  }
  out.end_array();
}

}  // namespace wattree
