#include "src/runs/track/record.h"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>

#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/base/json_writer.h"
#include "src/runs/profile/profile_json.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr double kMostJoules = 1e18;
constexpr double kMostSeconds = 1e12;
constexpr std::int64_t kMostNanos = std::int64_t{1} << 62;
constexpr std::int64_t kMostCount = std::int64_t{1} << 53;
constexpr std::size_t kMostMeters = 4096;
constexpr double kMostWatts = 1e12;
constexpr std::string_view kPauseNames[] = {"none", "asked", "standing"};  // As PauseState.

// --- writing ---

// Five numbers a meter and no names: this is written every second.
void write_meters(JsonWriter& out, const std::vector<MeterEnergy>& meters) {
  out.key("meters");
  out.begin_array();
  for (const MeterEnergy& meter : meters) {
    out.begin_array();
    out.value(meter.meter);
    out.value(meter.energy.value);
    out.value(meter.low.value);
    out.value(meter.high.value);
    out.value(meter.covered.value);
    out.end_array();
  }
  out.end_array();
}

void write_basis(JsonWriter& out, Basis basis, const std::string& by) {
  out.field("basis", name_of(basis));
  out.field("by", by);
}

struct Writer {
  JsonWriter& out;

  void operator()(const RunBegun& run) const {
    out.field("record", "run");
    out.field("name", run.name);
    if (!run.command.empty()) out.field("command", run.command);
    out.field("tool", run.tool);
    if (!run.job.empty()) out.field("job", run.job);
    out.field("process", run.process);
    if (!run.host.empty()) out.field("host", run.host);
    out.field("time", to_string(run.time));
    out.field("at_ns", run.at);
    out.key("meters");
    out.begin_array();
    for (const RunMeter& meter : run.meters) {
      out.begin_object();
      out.field("name", meter.name);
      out.field("device", meter.device);
      out.field("kind", name_of(meter.kind));
      write_basis(out, meter.provenance.basis, meter.provenance.by);
      out.field("boundary", name_of(meter.provenance.boundary));
      out.end_object();
    }
    out.end_array();
    write_hardware(out, run.hardware);
    if (!run.region.empty()) out.field("region", run.region);
    if (run.intensity) {
      out.key("intensity");
      out.begin_object();
      out.field("gco2e_per_kwh", run.intensity->intensity.value);
      write_basis(out, run.intensity->basis, run.intensity->by);
      out.end_object();
    }
    if (run.pue) {
      out.key("pue");
      out.begin_object();
      out.field("value", run.pue->value);
      write_basis(out, run.pue->basis, run.pue->by);
      out.end_object();
    }
    if (run.planned_epochs) out.field("planned_epochs", *run.planned_epochs);
    if (!run.precision.empty()) out.field("precision", run.precision);
    if (run.warn_above) out.field("warn_above_j", run.warn_above->value);
    if (run.stop_above) out.field("stop_above_j", run.stop_above->value);
    if (run.power_limit) out.field("power_limit_w", run.power_limit->value);
  }

  void operator()(const IdleMeasured& idle) const {
    out.field("record", "idle");
    out.field("duration_s", idle.duration.value);
    write_meters(out, idle.meters);
  }
  void operator()(const Totals& totals) const {
    out.field("record", "totals");
    out.field("at_ns", totals.at);
    write_meters(out, totals.meters);
  }
  void operator()(const EpochBegun& epoch) const {
    out.field("record", "begin");
    out.field("at_ns", epoch.at);
    out.field("name", epoch.name);
    if (epoch.is_tentative) out.field("tentative", std::int64_t{1});
  }
  void operator()(const EpochEnded& epoch) const {
    out.field("record", "end");
    out.field("at_ns", epoch.at);
  }
  void operator()(const EpochMeasured& epoch) const {
    out.field("record", "epoch");
    out.field("name", epoch.name);
    out.field("begun_ns", epoch.begun);
    out.field("ended_ns", epoch.ended);
    if (epoch.is_untimed) out.field("untimed", std::int64_t{1});
    write_meters(out, epoch.meters);
  }
  void operator()(const StepsMeasured& steps) const {
    out.field("record", "steps");
    out.field("name", steps.name);
    out.field("count", steps.count);
    out.field("duration_s", steps.duration.value);
    if (!steps.energy) return;
    out.field("energy_j", steps.energy->value);
    out.field("low_j", steps.low.value);
    out.field("high_j", steps.high.value);
  }
  void operator()(const RunNote& note) const {
    out.field("record", "note");
    out.field("at_ns", note.at);
    out.field("text", note.text);
  }
  void operator()(const PauseChanged& pause) const {
    out.field("record", "pause");
    out.field("at_ns", pause.at);
    out.field("state", kPauseNames[static_cast<std::size_t>(pause.state)]);
  }
  void operator()(const RunEnded& end) const {
    out.field("record", "ended");
    out.field("at_ns", end.at);
    if (end.exit_code) out.field("exit_code", *end.exit_code);
    if (!end.stopped.empty()) out.field("stopped", end.stopped);
  }
};

// --- reading ---

class Reader {
 public:
  Reader(const Json& json, const std::string& origin)
      : fields_(json, "", origin, failure_), origin_(origin) {}

  Result<Record> read() {
    const std::string kind = fields_.text("record", true);
    Record record = read_kind(kind);
    fields_.finish();
    if (!failure_.ok()) return failure_.error();
    return record;
  }

 private:
  Record read_kind(const std::string& kind) {
    if (kind == "run") return run();
    if (kind == "idle") return IdleMeasured{seconds("duration_s"), meters()};
    if (kind == "totals") return Totals{nanos("at_ns"), meters()};
    if (kind == "begin") {
      return EpochBegun{nanos("at_ns"), fields_.text("name"),
                        fields_.whole("tentative", 0, 1).value_or(0) == 1};
    }
    if (kind == "end") return EpochEnded{nanos("at_ns")};
    if (kind == "epoch") {
      return EpochMeasured{fields_.text("name"), nanos("begun_ns"), nanos("ended_ns"), meters(),
                           fields_.whole("untimed", 0, 1).value_or(0) == 1};
    }
    if (kind == "steps") {
      StepsMeasured out{fields_.text("name"),
                        fields_.whole("count", 0, kMostCount, true).value_or(0),
                        seconds("duration_s"),
                        std::nullopt,
                        {},
                        {}};
      if (!fields_.has("energy_j")) return out;
      out.energy = joules("energy_j");
      out.low = joules("low_j");
      out.high = joules("high_j");
      return out;
    }
    if (kind == "note") return RunNote{nanos("at_ns"), fields_.text("text")};
    if (kind == "pause") return PauseChanged{nanos("at_ns"), pause_state()};
    if (kind == "ended") {
      return RunEnded{nanos("at_ns"), fields_.whole("exit_code", 0, 255), fields_.text("stopped")};
    }
    fields_.complain("record", "is of a kind that this wattree does not know");
    return RunNote{};
  }

  PauseState pause_state() {
    const std::string name = fields_.text("state", true);
    const auto* found = std::find(std::begin(kPauseNames), std::end(kPauseNames), name);
    if (found == std::end(kPauseNames)) {
      fields_.complain("state", "must be none, asked or standing");
      return PauseState::kNone;
    }
    return static_cast<PauseState>(found - std::begin(kPauseNames));
  }

  Nanos nanos(std::string_view name) {
    return fields_.whole(name, 0, kMostNanos, true).value_or(0);
  }
  Seconds seconds(std::string_view name) {
    return Seconds(fields_.number(name, 0, kMostSeconds, true).value_or(0));
  }
  Joules joules(std::string_view name) {
    return Joules(fields_.number(name, -kMostJoules, kMostJoules, true).value_or(0));
  }

  std::vector<MeterEnergy> meters() {
    std::vector<MeterEnergy> out;
    const Json* rows = fields_.array("meters");
    if (rows == nullptr) return out;
    for (const Json& row : *rows) {
      bool is_good = row.is_array() && row.size() == 5 && row[0].is_number_unsigned() &&
                     row[0].get<std::uint64_t>() < kMostMeters && out.size() < kMostMeters;
      for (std::size_t i = 1; is_good && i < 5; ++i) {
        is_good = row[i].is_number() && std::abs(row[i].get<double>()) <= kMostJoules;
      }
      if (!is_good) {
        fields_.complain("meters", "must hold rows of a position, three energies and a time");
        return out;
      }
      out.push_back({row[0].get<std::int64_t>(), Joules(row[1].get<double>()),
                     Joules(row[2].get<double>()), Joules(row[3].get<double>()),
                     Seconds(row[4].get<double>())});
    }
    return out;
  }

  // What a figure rests on.
  void read_basis(JsonFields& fields, Basis& basis, std::string& by) {
    const auto read = parse_basis(fields.text("basis", true));
    if (!read) fields.complain("basis", "is not known");
    basis = read.value_or(Basis::kAssumed);
    by = fields.text("by");
  }

  RunBegun run() {
    RunBegun out;
    out.name = fields_.text("name", true);
    out.command = fields_.text("command");
    out.tool = fields_.text("tool");
    out.job = fields_.text("job");
    out.process = fields_.whole("process", 0, kMostCount, true).value_or(0);
    out.host = fields_.text("host");
    const auto time = parse_utc(fields_.text("time", true));
    if (!time) fields_.complain("time", "must be like 2026-05-01T12:00:00Z");
    out.time = time.value_or(UtcTime());
    out.at = nanos("at_ns");
    if (const Json* all = fields_.array("meters")) {
      if (all->size() > kMostMeters) fields_.complain("meters", "has too many");
      for (std::size_t i = 0; i < std::min(all->size(), kMostMeters); ++i) {
        JsonFields fields = fields_.below((*all)[i], "meters", i);
        RunMeter meter{fields.text("name", true), fields.text("device"), {}, {}};
        const auto kind = parse_component_kind(fields.text("kind", true));
        if (!kind) fields.complain("kind", "must be gpu, cpu, memory or machine");
        meter.kind = kind.value_or(ComponentKind::kMachine);
        read_basis(fields, meter.provenance.basis, meter.provenance.by);
        const auto boundary = parse_boundary(fields.text("boundary", true));
        if (!boundary) fields.complain("boundary", "must be gpu, host, wall or facility");
        meter.provenance.boundary = boundary.value_or(Boundary::kHost);
        fields.finish();
        out.meters.push_back(std::move(meter));
      }
    }
    if (const Json* all = fields_.array("hardware")) {
      for (std::size_t i = 0; i < std::min(all->size(), kMostMeters); ++i) {
        JsonFields fields = fields_.below((*all)[i], "hardware", i);
        HardwareEntry entry;
        const std::string kind = fields.text("kind", true);
        if (kind != "gpu" && kind != "cpu") fields.complain("kind", "must be gpu or cpu");
        entry.kind = kind == "cpu" ? DeviceKind::kCpu : DeviceKind::kGpu;
        entry.name = fields.text("name", true);
        entry.count = static_cast<int>(fields.whole("count", 1, 1'000'000, true).value_or(1));
        fields.finish();
        out.hardware.push_back(std::move(entry));
      }
    }
    out.region = fields_.text("region");
    if (const Json* object = fields_.object("intensity")) {
      JsonFields fields = fields_.below(*object, "intensity");
      RecordedIntensity& intensity = out.intensity.emplace();
      intensity.intensity =
          CarbonIntensity(fields.number("gco2e_per_kwh", 0, 1e6, true).value_or(0));
      read_basis(fields, intensity.basis, intensity.by);
      fields.finish();
    }
    if (const Json* object = fields_.object("pue")) {
      JsonFields fields = fields_.below(*object, "pue");
      Pue& pue = out.pue.emplace();
      pue.value = fields.number("value", 1, 10, true).value_or(1);
      read_basis(fields, pue.basis, pue.by);
      fields.finish();
    }
    out.planned_epochs = fields_.whole("planned_epochs", 1, 1'000'000);
    out.precision = fields_.text("precision");
    if (fields_.has("warn_above_j")) out.warn_above = joules("warn_above_j");
    if (fields_.has("stop_above_j")) out.stop_above = joules("stop_above_j");
    if (const auto limit = fields_.number("power_limit_w", 0, kMostWatts)) {
      out.power_limit = Watts(*limit);
    }
    return out;
  }

  Status failure_;
  JsonFields fields_;
  std::string origin_;
};

}  // namespace

Joules sum_of(const std::vector<MeterEnergy>& meters) {
  Joules out;
  for (const MeterEnergy& meter : meters) out = out + meter.energy;
  return out;
}

std::string to_line(const Record& record) {
  JsonWriter out;
  out.begin_object();
  std::visit(Writer{out}, record);
  out.end_object();
  return out.take();
}

Result<Record> parse_record(std::string_view line, const std::string& origin) {
  const Result<Json> json = parse_json(line, origin);
  if (!json.ok()) return json.error();
  return Reader(json.value(), origin).read();
}

}  // namespace wattree
