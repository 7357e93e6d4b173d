#include "src/runs/live/run_brief.h"

#include <nlohmann/json.hpp>

#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/runs/live/run_json.h"
#include "src/runs/profile/profile.h"

namespace wattree {
namespace {

constexpr double kLargest = 1e18;
constexpr std::int64_t kMostCount = std::int64_t{1} << 53;

std::optional<Watts> idle_power(const TrackedRun& run) {
  if (!run.idle()) return std::nullopt;
  Watts out;
  bool is_known = false;
  for (const MeterEnergy& part : run.idle()->meters) {
    if (!(part.covered > Seconds(0))) continue;
    out = out + part.energy / part.covered;
    is_known = true;
  }
  if (!is_known) return std::nullopt;
  return out;
}

template <class Quantity>
void write_amount(JsonWriter& out, const char* name, const std::optional<Quantity>& amount) {
  if (amount) out.field(name, amount->value);
}

void write_text(JsonWriter& out, const char* name, const std::string& text) {
  if (!text.empty()) out.field(name, text);
}

template <class Quantity>
std::optional<Quantity> read_amount(JsonFields& fields, const std::string& name) {
  const auto number = fields.number(name, -kLargest, kLargest);
  if (!number) return std::nullopt;
  return Quantity(*number);
}

template <class Quantity>
std::optional<Estimate<Quantity>> read_estimate(JsonFields& fields, const std::string& name,
                                                const std::string& unit) {
  const auto value = read_amount<Quantity>(fields, name + unit);
  const auto low = read_amount<Quantity>(fields, name + "_low" + unit);
  const auto high = read_amount<Quantity>(fields, name + "_high" + unit);
  if (!value) return std::nullopt;
  return Estimate<Quantity>{*value, low, high};
}

Provenance read_basis(JsonFields fields) {
  const auto basis = parse_basis(fields.text("kind", true));
  const auto boundary = parse_boundary(fields.text("boundary", true));
  if (!basis || !boundary) fields.complain("kind", "is not known");
  return {basis.value_or(Basis::kAssumed), fields.text("by"), boundary.value_or(Boundary::kHost)};
}

RunStatus read_status(JsonFields& fields) {
  RunStatus out;
  out.name = fields.text("name");
  const auto state = parse_run_state(fields.text("status", true));
  if (!state) fields.complain("status", "is not known");
  out.state = state.value_or(RunState::kEnded);
  out.reason = fields.text("reason");
  out.elapsed = Seconds(fields.number("elapsed_s", 0, kLargest).value_or(0));
  out.power = read_amount<Watts>(fields, "power_w");
  out.device_energy = read_amount<Joules>(fields, "device_energy_j");
  out.energy = read_amount<Joules>(fields, "energy_j");
  if (const auto* basis = fields.object("basis"))
    out.basis = read_basis(fields.below(*basis, "basis"));
  out.emissions = read_amount<GramsCo2e>(fields, "carbon_gco2e");
  out.emissions_basis = parse_basis(fields.text("carbon_basis"));
  if (!out.emissions_basis) out.emissions.reset();
  out.epochs_ended =
      static_cast<std::size_t>(fields.whole("epochs_ended", 0, kMostCount).value_or(0));
  out.epoch = fields.text("epoch");
  out.planned_epochs = fields.whole("planned_epochs", 1, kMostCount);
  out.projected_energy = read_estimate<Joules>(fields, "projected_energy", "_j");
  out.projected_emissions = read_estimate<GramsCo2e>(fields, "projected_carbon", "_gco2e");
  out.time_left = read_estimate<Seconds>(fields, "time_left", "_s");
  out.exit_code = fields.whole("exit_code", 0, 255);
  const auto paused = read_amount<Seconds>(fields, "paused_s");
  const auto taken = read_amount<Joules>(fields, "paused_energy_j");
  if (paused) out.standing = TrackedRun::Standing{*paused, taken.value_or(Joules())};
  return out;
}

}  // namespace

Setting setting_of(const RunBegun& begun) {
  Setting out;
  out.pue = begun.pue;
  if (begun.intensity) {
    out.grid =
        Grid{begun.region, begun.intensity->intensity, begun.intensity->basis, begun.intensity->by};
  }
  return out;
}

RunBrief brief_of(const TrackedRun& run, const PowerTrace& trace, std::size_t points) {
  const RunBegun& begun = run.begun();
  RunBrief out;
  out.status = status_of(run, setting_of(begun));
  out.begun = begun.time;
  out.host = begun.host;
  out.job = begun.job;
  out.command = begun.command;
  out.hardware = hardware_text(begun.hardware);
  out.region = begun.region;
  if (begun.pue) out.pue = begun.pue->value;
  if (begun.intensity) out.gco2e_per_kwh = begun.intensity->intensity.value;
  out.warn_above = begun.warn_above;
  out.stop_above = begun.stop_above;
  out.idle_power = idle_power(run);
  out.power_limit = begun.power_limit;
  out.trace = trace.points(points);
  return out;
}

void write_brief(JsonWriter& out, const RunBrief& brief) {
  write_status(out, brief.status);
  out.field("begun", to_string(brief.begun));
  write_text(out, "host", brief.host);
  write_text(out, "job", brief.job);
  write_text(out, "command", brief.command);
  write_text(out, "hardware", brief.hardware);
  write_text(out, "region", brief.region);
  if (brief.pue) out.field("pue", *brief.pue);
  if (brief.gco2e_per_kwh) out.field("gco2e_per_kwh", *brief.gco2e_per_kwh);
  write_amount(out, "warn_above_j", brief.warn_above);
  write_amount(out, "stop_above_j", brief.stop_above);
  write_amount(out, "idle_power_w", brief.idle_power);
  write_amount(out, "power_limit_w", brief.power_limit);
  out.key("trace");
  out.begin_array();
  for (const TracePoint& point : brief.trace) {
    out.begin_array();
    for (const double number :
         {point.at.value, point.power.value, point.lowest.value, point.highest.value}) {
      out.value(number);
    }
    out.end_array();
  }
  out.end_array();
}

RunBrief read_brief(JsonFields& fields) {
  RunBrief out;
  out.status = read_status(fields);
  const auto begun = parse_utc(fields.text("begun", true));
  if (!begun) fields.complain("begun", "must be like 2026-05-01T12:00:00Z");
  out.begun = begun.value_or(UtcTime());
  out.host = fields.text("host");
  out.job = fields.text("job");
  out.command = fields.text("command");
  out.hardware = fields.text("hardware");
  out.region = fields.text("region");
  out.pue = fields.number("pue", 1, 10);
  out.gco2e_per_kwh = fields.number("gco2e_per_kwh", 0, 1e6);
  out.warn_above = read_amount<Joules>(fields, "warn_above_j");
  out.stop_above = read_amount<Joules>(fields, "stop_above_j");
  out.idle_power = read_amount<Watts>(fields, "idle_power_w");
  out.power_limit = read_amount<Watts>(fields, "power_limit_w");
  const nlohmann::json* trace = fields.array("trace");
  for (std::size_t i = 0; trace != nullptr && i < trace->size(); ++i) {
    const nlohmann::json& row = (*trace)[i];
    const bool is_good =
        row.is_array() && row.size() == 4 &&
        std::all_of(row.begin(), row.end(), [](const auto& n) { return n.is_number(); });
    if (!is_good) {
      fields.complain("trace", "must hold rows of four numbers");
      break;
    }
    out.trace.push_back({Seconds(row[0].get<double>()), Watts(row[1].get<double>()),
                         Watts(row[2].get<double>()), Watts(row[3].get<double>())});
  }
  return out;
}

}  // namespace wattree
