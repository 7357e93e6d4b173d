#include "src/predict/predictor/predictor_file.h"
#include "src/predict/predictor/survey.h"

namespace wattree {
namespace {

constexpr std::string_view kLevels[3] = {"ml", "module", "model"};

void write_spread(JsonWriter& json, const std::array<double, 3>& levels, double twin,
                  double of_kernels) {
  json.begin_object();
  for (std::size_t l = 0; l < 3; ++l) json.field(kLevels[l], levels[l]);
  json.field("twin", twin);
  if (of_kernels > 0) json.field("model_of_kernels", of_kernels);
  json.end_object();
}

void write_work(JsonWriter& json, const Work& work) {
  json.field("kind", name_of(work.kind));
  json.field("groups", work.groups);
  json.field("m", work.m);
  json.field("n", work.n);
  json.field("k", work.k);
  json.field("width", work.width);
  json.field("weight_width", work.weight_width);
  json.field("bytes", work.bytes);
}

void write_kinds(JsonWriter& json, const Predictor& p) {
  json.key("kinds");
  json.begin_object();
  for (std::size_t i = 0; i < kWorkKinds; ++i) {
    if (!p.kinds[i]) continue;
    const auto kind = static_cast<WorkKind>(i);
    json.key(name_of(kind));
    json.begin_object();
    json.field("samples", p.kinds[i]->samples);
    if (p.kinds[i]->energy_spread > 0) {
      json.field("energy_spread", p.kinds[i]->energy_spread);
      json.field("time_spread", p.kinds[i]->time_spread);
    }
    json.key("terms");
    json.begin_array();
    const auto terms = terms_of(kind);
    for (std::size_t t = 0; t < terms.size(); ++t) {
      json.begin_object();
      json.field("name", terms[t].name);
      json.field("per", terms[t].unit);
      json.field("energy_j", p.kinds[i]->energy[t]);
      json.field("time_s", p.kinds[i]->time[t]);
      if (p.kinds[i]->most[t] > 0) {
        json.field("least", p.kinds[i]->least[t]);
        json.field("most", p.kinds[i]->most[t]);
      }
      json.end_object();
    }
    json.end_array();
    json.end_object();
  }
  json.end_object();
}

// What only a predictor of single kernels has.
void write_device(JsonWriter& json, const Predictor& p) {
  json.field("prices", "kernels");
  json.key("chip");
  json.begin_object();
  json.field("cache_mib", p.chip.cache_mib);
  json.field("half_gflop_per_us", p.chip.half_gflop_per_us);
  json.field("single_gflop_per_us", p.chip.single_gflop_per_us);
  json.field("mib_per_us", p.chip.mib_per_us);
  if (const Peak& peak = p.chip.peak; peak != Peak{}) {
    json.key("peak");
    json.begin_object();
    json.field("half_gflop_per_us", peak.half_gflop_per_us);
    json.field("single_gflop_per_us", peak.single_gflop_per_us);
    json.field("mib_per_us", peak.mib_per_us);
    json.field("cache_mib", peak.cache_mib);
    json.end_object();
  }
  if (p.chip.survey != nullptr) {
    json.key("survey");
    write_survey(json, *p.chip.survey);
  }
  json.end_object();
  json.field("idle_w", p.idle_w);
  if (p.anchor.energy > Joules()) {
    json.key("anchor");
    json.begin_object();
    json.field("energy_j", p.anchor.energy.value);
    json.field("protocol", p.anchor.protocol);
    json.end_object();
  }
  if (p.power_cap) {
    json.key("power_cap");
    json.begin_object();
    json.field("limit_w", p.power_cap->limit_w);
    json.field("exponent", p.power_cap->exponent);
    json.field("samples", p.power_cap->samples);
    json.end_object();
  }
  if (p.eager) {
    json.key("eager");
    json.begin_object();
    json.field("per_kernel_s", p.eager->per_kernel_s);
    json.field("per_call_s", p.eager->per_call_s);
    json.field("per_module_s", p.eager->per_module_s);
    json.field("waiting_w", p.eager->waiting_w);
    json.field("samples", p.eager->samples);
    json.field("native_kernel_s", p.eager->native_kernel_s);
    json.field("spread", p.eager->spread);
    json.field("known_spread", p.eager->known_spread);
    json.end_object();
  }
}

void write_spreads(JsonWriter& json, const Spread& spread) {
  json.begin_object();
  json.key("energy");
  write_spread(json, spread.energy, spread.twin_energy, spread.energy_of_kernels);
  json.key("time");
  write_spread(json, spread.time, spread.twin_time, spread.time_of_kernels);
  json.end_object();
}

void write_power_law(JsonWriter& json, const PowerLaw& law) {
  json.key("power_law");
  json.begin_object();
  json.field("counter_factor", law.counter_factor);
  json.field("base_w", law.base_w);
  json.field("cpu_w_per_percent", law.cpu_w_per_percent);
  json.field("samples", law.samples);
  json.end_object();
}

void write_intervals(JsonWriter& json, const Predictor& p) {
  json.key("intervals");
  json.begin_object();
  for (std::size_t k = 0; k < kKnownCount; ++k) {
    if (!p.spreads[k]) continue;
    json.key(name_of(static_cast<Known>(k)));
    write_spreads(json, *p.spreads[k]);
  }
  if (p.single_spread) {
    json.key("fp32");
    write_spreads(json, *p.single_spread);
  }
  json.end_object();
}

void write_training(JsonWriter& json, const Predictor& p) {
  json.key("training");
  json.begin_object();
  json.field("models", p.models);
  json.field("trees", p.trees);
  json.field("measurements", p.measurements);
  json.key("errors_percent");
  json.begin_object();
  for (std::size_t k = 0; k < kKnownCount; ++k) {
    if (!p.errors[k]) continue;
    json.key(name_of(static_cast<Known>(k)));
    json.begin_object();
    json.field("ml", p.errors[k]->ml);
    json.field("module", p.errors[k]->module);
    json.field("model", p.errors[k]->model);
    json.end_object();
  }
  json.end_object();
  json.end_object();
}

void write_twins(JsonWriter& json, const Predictor& p) {
  json.key("twins");
  json.begin_array();
  for (const Twin& twin : p.twins) {
    json.begin_object();
    json.field("type", twin.type);
    write_work(json, twin.work);
    json.field("energy_j", twin.energy.value);
    json.field("time_s", twin.time.value);
    json.field("samples", twin.samples);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

void begin_predictor(JsonWriter& json, std::string_view kind) {
  json.begin_object();
  json.field("format", kPredictorFormat);
  json.field("version", kPredictorVersion);
  json.field("kind", kind);
}

std::string to_json(const Predictor& p) {
  JsonWriter json(1);
  begin_predictor(json, "reconciled");
  json.field("name", p.name);
  json.field("hardware", p.hardware);
  json.field("meter", p.meter);
  json.field("boundary", p.boundary);
  json.field("dtypes", p.dtypes);
  json.field("processors", std::int64_t{p.chip.processors});
  if (p.is_by_kernel) write_device(json, p);
  if (p.power_law) write_power_law(json, *p.power_law);
  write_kinds(json, p);
  write_intervals(json, p);
  write_training(json, p);
  write_twins(json, p);
  json.end_object();
  return json.take() + "\n";
}

}  // namespace wattree
