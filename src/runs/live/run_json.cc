#include "src/runs/live/run_json.h"

#include "src/base/json_writer.h"

namespace wattree {
namespace {

template <class Quantity>
void write_estimate(JsonWriter& out, const std::string& name, const std::string& unit,
                    const std::optional<Estimate<Quantity>>& estimate) {
  if (!estimate) return;
  out.field(name + unit, estimate->value.value);
  if (estimate->low) out.field(name + "_low" + unit, estimate->low->value);
  if (estimate->high) out.field(name + "_high" + unit, estimate->high->value);
}

}  // namespace

void write_status(JsonWriter& out, const RunStatus& status) {
  out.field("name", status.name);
  out.field("status", name_of(status.state));
  if (!status.reason.empty()) out.field("reason", status.reason);
  out.field("elapsed_s", status.elapsed.value);
  if (status.power) out.field("power_w", status.power->value);
  if (status.device_energy) out.field("device_energy_j", status.device_energy->value);
  if (status.energy) {
    out.field("energy_j", status.energy->value);
    out.key("basis");
    write_json(out, status.basis);
  }
  if (status.emissions) {
    out.field("carbon_gco2e", status.emissions->value);
    out.field("carbon_basis", name_of(*status.emissions_basis));
  }
  out.field("epochs_ended", static_cast<std::int64_t>(status.epochs_ended));
  if (!status.epoch.empty()) out.field("epoch", status.epoch);
  if (status.planned_epochs) out.field("planned_epochs", *status.planned_epochs);
  write_estimate(out, "projected_energy", "_j", status.projected_energy);
  write_estimate(out, "projected_carbon", "_gco2e", status.projected_emissions);
  write_estimate(out, "time_left", "_s", status.time_left);
  if (status.exit_code) out.field("exit_code", *status.exit_code);
  if (status.standing) {
    out.field("paused_s", status.standing->duration.value);
    out.field("paused_energy_j", status.standing->energy.value);
  }
  if (status.silent) out.field("silent_s", status.silent->value);
}

std::string to_json(const RunStatus& status) {
  JsonWriter out;
  out.begin_object();
  write_status(out, status);
  out.end_object();
  return out.take();
}

std::string epoch_json(const TrackedRun& run, std::size_t epoch) {
  const EpochMeasured& measured = run.epochs()[epoch];
  Joules low, high;
  for (const MeterEnergy& part : measured.meters) {
    low = low + part.low;
    high = high + part.high;
  }
  JsonWriter out;
  out.begin_object();
  out.field("epoch", static_cast<std::int64_t>(epoch + 1));
  out.field("name", measured.name);
  if (!measured.is_untimed) {
    out.field("begin_s", seconds(measured.begun - run.begun().at));
    out.field("duration_s", seconds(measured.ended - measured.begun));
  }
  if (!measured.meters.empty()) {
    out.field("device_energy_j", sum_of(measured.meters).value);
    out.field("device_energy_low_j", low.value);
    out.field("device_energy_high_j", high.value);
  }
  out.key("components");
  out.begin_array();
  for (const MeterEnergy& part : measured.meters) {
    const auto index = static_cast<std::size_t>(part.meter);
    if (index >= run.begun().meters.size()) continue;
    const RunMeter& meter = run.begun().meters[index];
    out.begin_object();
    out.field("component", meter.name);
    out.field("kind", name_of(meter.kind));
    out.field("energy_j", part.energy.value);
    out.field("covered_s", part.covered.value);
    out.key("basis");
    write_json(out, meter.provenance);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take();
}

}  // namespace wattree
