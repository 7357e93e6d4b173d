#include "src/api/runs/run_status.h"

#include <algorithm>
#include <map>
#include <vector>

#include "src/base/json_writer.h"
#include "src/runs/profile/energyvis.h"
#include "src/runs/profile/profile_json.h"

namespace wattree {
namespace {

// EnergyVis has two kinds of parts.
bool is_gpu_part(ComponentKind kind) {
  return kind == ComponentKind::kGpu || kind == ComponentKind::kMachine;
}

}  // namespace

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
