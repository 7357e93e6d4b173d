#include "src/api/run_status.h"

#include <algorithm>
#include <map>
#include <vector>

#include "src/base/json_writer.h"
#include "src/carbon/region.h"
#include "src/whatif/extrapolate.h"

namespace wattree {
namespace {

Joules sum(const std::vector<MeterEnergy>& meters) {
  Joules out;
  for (const MeterEnergy& meter : meters) out = out + meter.energy;
  return out;
}

std::optional<GramsCo2e> emitted(Joules energy, const Setting& setting) {
  if (!setting.grid) return std::nullopt;
  const auto* intensity = std::get_if<CarbonIntensity>(&setting.grid->intensity);
  if (intensity == nullptr) return std::nullopt;
  return energy * *intensity;
}

// What the run will have taken at its planned end.
std::optional<Estimate<Joules>> project(const TrackedRun& run) {
  const auto planned = run.begun().planned_epochs;
  const std::vector<EpochMeasured>& epochs = run.epochs();
  if (!planned || epochs.empty() || run.ended()) return std::nullopt;
  const auto done = static_cast<std::int64_t>(epochs.size());
  if (*planned <= done) return std::nullopt;
  std::vector<double> joules;
  Joules inside;
  for (const EpochMeasured& epoch : epochs) {
    joules.push_back(sum(epoch.meters).value);
    inside = inside + Joules(joules.back());
  }
  const Ahead ahead = Extrapolation(joules).at(static_cast<std::size_t>(*planned - done));
  // What came before the epochs and between them. What the epoch that is going on has taken so far
  // is in the totals too, and not outside.
  Joules outside = run.energy().value_or(Joules()) - inside;
  const double since = seconds(run.totals().at - epochs.back().ended);
  if (since > 0) outside = outside - run.power().value_or(Watts()) * Seconds(since);
  outside = std::max(outside, Joules());
  // Nor less than there is already: an epoch that goes on may take more than those before it.
  const Joules so_far = std::max(run.energy().value_or(Joules()), inside);
  Estimate<Joules> out{std::max(Joules(ahead.value) + outside, so_far), std::nullopt, std::nullopt};
  if (ahead.low) out.low = std::max(Joules(*ahead.low) + outside, so_far);
  if (ahead.high) out.high = std::max(Joules(*ahead.high) + outside, so_far);
  return out;
}

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

RunStatus status_of(const TrackedRun& run, const Setting& setting) {
  RunStatus out;
  out.name = run.begun().name;
  out.elapsed = run.duration();
  out.power = run.power();
  out.device_energy = run.energy();
  out.epochs_ended = run.epochs_ended();
  if (const auto open = run.open_epoch()) out.epoch = open->name;
  out.planned_epochs = run.begun().planned_epochs;
  out.ended = run.ended();
  bool is_first = true;
  for (const MeterEnergy& part : run.totals().meters) {
    const auto index = static_cast<std::size_t>(part.meter);
    if (index >= run.begun().meters.size()) continue;
    const Provenance& basis = run.begun().meters[index].provenance;
    out.basis = is_first ? basis : of_sum(out.basis, basis);
    is_first = false;
  }
  if (!out.device_energy) return out;
  const double pue = setting.pue ? setting.pue->value : 1.0;
  if (setting.pue) out.basis = facility_provenance(out.basis, *setting.pue);
  out.energy = *out.device_energy * pue;
  out.emissions = emitted(*out.energy, setting);
  if (out.emissions) {
    out.emissions_basis = emissions_provenance(out.basis, *setting.grid).basis;
  }
  if (auto projected = project(run)) {
    projected->value = projected->value * pue;
    if (projected->low) projected->low = *projected->low * pue;
    if (projected->high) projected->high = *projected->high * pue;
    out.projected_energy = projected;
    if (const auto mass = emitted(projected->value, setting)) {
      Estimate<GramsCo2e> estimate{*mass, std::nullopt, std::nullopt};
      if (projected->low) estimate.low = emitted(*projected->low, setting);
      if (projected->high) estimate.high = emitted(*projected->high, setting);
      out.projected_emissions = estimate;
    }
  }
  return out;
}

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
    out.field("device_energy_j", sum(measured.meters).value);
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

Result<std::string> energyvis_state(const std::string& region) {
  Result<Region> found = find_region(region);
  if (found.ok() && !found.value().located_in.empty()) {
    found = find_region(found.value().located_in);
  }
  if (found.ok() && found.value().kind == RegionKind::kUsState) return found.value().name;
  return Error{ErrorCode::kInvalidInput,
               region.empty() ? "EnergyVis's page needs a US state, and the region is not known"
                              : "EnergyVis's page knows US states only, not " + region,
               "name one with --region, for example --region US-GA"};
}

std::string energyvis_setup(const TrackedRun& run, const std::string& state) {
  JsonWriter out;
  out.begin_object();
  out.key("component_names");
  out.begin_object();
  for (const bool is_gpu : {false, true}) {
    out.key(is_gpu ? "gpu" : "cpu");
    out.begin_object();
    for (const HardwareEntry& entry : run.begun().hardware) {
      if (is_accelerator(entry.kind) == is_gpu) out.field(entry.name, std::int64_t{entry.count});
    }
    out.end_object();
  }
  out.end_object();
  out.field("state", state);
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
