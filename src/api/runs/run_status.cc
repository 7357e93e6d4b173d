#include "src/api/runs/run_status.h"

#include <algorithm>
#include <map>
#include <vector>

#include "src/base/json_writer.h"
#include "src/runs/profile/energyvis.h"
#include "src/runs/profile/profile_json.h"

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

// EnergyVis has two kinds of parts.
bool is_gpu_part(ComponentKind kind) {
  return kind == ComponentKind::kGpu || kind == ComponentKind::kMachine;
}

}  // namespace

std::string to_json(const RunStatus& status) {
  JsonWriter out;
  out.begin_object();
  out.field("name", status.name);
  const char* state = status.ended        ? "ended"
                      : status.is_waiting ? "paused"
                      : status.is_paused  ? "pausing"
                                          : "running";
  out.field("state", state);
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
  if (status.ended && status.ended->exit_code) out.field("exit_code", *status.ended->exit_code);
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
  out.field("begin_s", seconds(measured.begun - run.begun().at));
  out.field("duration_s", seconds(measured.ended - measured.begun));
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

std::string profile_json(const TrackedRun& run) { return write_profile_json(run.profile()); }

std::string energyvis_setup(const TrackedRun& run, const std::string& state, bool is_paused) {
  JsonWriter out;
  out.begin_object();
  out.key("component_names");
  out.begin_object();
  for (const bool is_gpu : {false, true}) {
    out.key(is_gpu ? "gpu" : "cpu");
    out.begin_object();
    std::map<std::string, std::int64_t> counts;  // Two cards may have one name in its list.
    for (const HardwareEntry& entry : run.begun().hardware) {
      if (is_accelerator(entry.kind) != is_gpu) continue;
      counts[is_gpu ? energyvis_card(entry.name).name : entry.name] += entry.count;
    }
    for (const auto& [name, count] : counts) out.field(name, count);
    out.end_object();
  }
  out.end_object();
  out.field("state", state);
  out.field("paused", is_paused);
  out.end_object();
  return out.take();
}

std::string energyvis_stats(const TrackedRun& run) {
  const Profile profile = run.profile();
  JsonWriter out;
  out.begin_object();
  for (const bool is_gpu : {false, true}) {
    out.key(is_gpu ? "gpu" : "cpu");
    out.begin_object();
    out.key("epoch");
    out.begin_array();
    for (const EpochMeasured& epoch : run.epochs()) {
      Joules energy;
      for (const MeterEnergy& part : epoch.meters) {
        const auto index = static_cast<std::size_t>(part.meter);
        if (index < run.begun().meters.size() &&
            is_gpu_part(run.begun().meters[index].kind) == is_gpu) {
          energy = energy + part.energy;
        }
      }
      out.value(energy.value / kJoulesPerKwh);
    }
    out.end_array();
    // Its samples are of ten seconds each.
    std::vector<double> samples;
    for (const SampleSeries& series : profile.samples) {
      const bool is_ten = !series.end.empty() && series.end.front() == Seconds(10);
      if (is_gpu_part(series.kind) != is_gpu || !is_ten) continue;
      samples.resize(std::max(samples.size(), series.energy.size()));
      for (std::size_t i = 0; i < series.energy.size(); ++i) {
        samples[i] += series.energy[i].value / kJoulesPerKwh;
      }
    }
    out.key("interval");
    if (samples.empty()) {
      out.null();
    } else {
      out.begin_array();
      for (const double sample : samples) out.value(sample);
      out.end_array();
    }
    out.end_object();
  }
  out.end_object();
  return out.take();
}

}  // namespace wattree
