#include "src/predict/predictor/predictor_file.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/base/provenance.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kLevels[3] = {"ml", "module", "model"};
constexpr std::size_t kMaxFile = std::size_t{64} << 20;
constexpr double kLeastRate = 1e-9;

constexpr double kMost = 1e18;

// Every number of a predictor is a size, a count, a price or a width.
double number(JsonFields& fields, std::string_view name, double least = 0) {
  return fields.number(name, least, kMost, true).value_or(least);
}
std::int64_t count(JsonFields& fields, std::string_view name, std::int64_t least = 0) {
  return fields.whole(name, least, static_cast<std::int64_t>(kMost), true).value_or(least);
}

Result<Json> parse(std::string_view text, const std::string& origin) {
  if (text.size() > kMaxFile) {
    return Error{ErrorCode::kInvalidInput, origin + ": too large for a predictor (64 MiB at most)",
                 ""};
  }
  Result<Json> json = parse_json(text, origin);
  if (!json.ok()) return with_predictor_hint(json.error());
  return json;
}

Result<PredictorHeader> header_of(const Json& json, const std::string& origin) {
  Status failure;
  JsonFields fields(json, "", origin, failure);
  const std::string format = fields.text("format", true);
  if (format != kPredictorFormat) {
    fields.complain("format",
                    "is \"" + format + "\", not \"" + std::string(kPredictorFormat) + "\"");
  }
  const std::int64_t version = count(fields, "version", 1);
  if (failure.ok() && version > kPredictorVersion) {
    return Error{ErrorCode::kUnavailable,
                 origin + ": version " + std::to_string(version) +
                     " of the format; this wattree reads " + std::to_string(kPredictorVersion) +
                     " and older",
                 "update wattree, or train the predictor again with this one"};
  }
  PredictorHeader header{fields.text("kind", true)};
  if (!failure.ok()) return with_predictor_hint(failure.error());
  return header;
}

void write_spread(JsonWriter& json, const std::array<double, 3>& levels, double twin,
                  double of_kernels) {
  json.begin_object();
  for (std::size_t l = 0; l < 3; ++l) json.field(kLevels[l], levels[l]);
  json.field("twin", twin);
  if (of_kernels > 0) json.field("model_of_kernels", of_kernels);
  json.end_object();
}

void read_spread(JsonFields fields, std::array<double, 3>& levels, double& twin,
                 double& of_kernels) {
  levels = {number(fields, "ml"), number(fields, "module"), number(fields, "model")};
  twin = number(fields, "twin");
  if (fields.has("model_of_kernels")) of_kernels = number(fields, "model_of_kernels");
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

Work read_work(JsonFields& fields) {
  Work work;
  const std::string kind = fields.text("kind", true);
  if (const auto known = parse_work_kind(kind)) {
    work.kind = *known;
  } else {
    fields.complain("kind", "is \"" + kind + "\", which is no kind of kernel");
  }
  work.groups = number(fields, "groups");
  work.m = number(fields, "m");
  work.n = number(fields, "n");
  work.k = number(fields, "k");
  work.width = number(fields, "width");
  work.weight_width = number(fields, "weight_width");
  work.bytes = number(fields, "bytes");
  return work;
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

void read_terms(JsonFields& fields, WorkKind kind, Coefficients& c) {
  const auto facts = terms_of(kind);
  const Json* terms = fields.array("terms", true);
  if (terms == nullptr || terms->size() != facts.size()) {
    return fields.complain("terms", "must be an array of " + std::to_string(facts.size()));
  }
  for (std::size_t t = 0; t < facts.size(); ++t) {
    JsonFields term = fields.below((*terms)[t], "terms", t);
    if (term.text("name", true) != facts[t].name) {
      term.complain("name", "must be \"" + std::string(facts[t].name) + "\"");
    }
    c.energy[t] = number(term, "energy_j");
    c.time[t] = number(term, "time_s");
    if (term.has("least") || term.has("most")) {
      c.least[t] = number(term, "least");
      c.most[t] = number(term, "most", c.least[t]);
    }
  }
}

void read_kinds(JsonFields& fields, Predictor& p) {
  const Json* kinds = fields.object("kinds", true);
  if (kinds == nullptr) return;
  for (const auto& [name, value] : kinds->items()) {
    const auto kind = parse_work_kind(name);
    if (!kind) return fields.complain("kinds." + name, "is no kind of kernel");
    JsonFields item = fields.below(value, "kinds." + name);
    Coefficients c;
    c.samples = count(item, "samples");
    if (item.has("energy_spread")) {
      c.energy_spread = number(item, "energy_spread");
      c.time_spread = number(item, "time_spread");
    }
    read_terms(item, *kind, c);
    p.kinds[static_cast<std::size_t>(*kind)] = c;
  }
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
  json.end_object();
  json.field("idle_w", p.idle_w);
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
    json.field("per_module_s", p.eager->per_module_s);
    json.field("waiting_w", p.eager->waiting_w);
    json.field("samples", p.eager->samples);
    json.end_object();
  }
}

void read_device(JsonFields& fields, Predictor& p) {
  const std::string prices = fields.text("prices", true);
  if (prices != "kernels") fields.complain("prices", "is \"" + prices + "\", not \"kernels\"");
  p.is_by_kernel = true;
  JsonFields chip = fields.inside("chip");
  p.chip.cache_mib = number(chip, "cache_mib");
  p.chip.half_gflop_per_us = number(chip, "half_gflop_per_us", kLeastRate);
  p.chip.single_gflop_per_us = number(chip, "single_gflop_per_us", kLeastRate);
  p.chip.mib_per_us = number(chip, "mib_per_us", kLeastRate);
  p.idle_w = number(fields, "idle_w");
  if (fields.has("power_cap")) {
    JsonFields cap = fields.inside("power_cap");
    p.power_cap = PowerCap{number(cap, "limit_w"), number(cap, "exponent"), count(cap, "samples")};
    if (p.power_cap->exponent > 1) cap.complain("exponent", "is above 1");
  }
  if (fields.has("eager")) {
    JsonFields eager = fields.inside("eager");
    p.eager = EagerHost{number(eager, "per_kernel_s"), number(eager, "per_module_s"),
                        number(eager, "waiting_w"), count(eager, "samples")};
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

Spread read_spreads(JsonFields fields) {
  Spread spread;
  read_spread(fields.inside("energy"), spread.energy, spread.twin_energy, spread.energy_of_kernels);
  read_spread(fields.inside("time"), spread.time, spread.twin_time, spread.time_of_kernels);
  return spread;
}

}  // namespace

Error with_predictor_hint(Error error) {
  if (error.hint.empty()) {
    error.hint =
        "write predictors with wattree train; docs/schemas/predictor.schema.json describes the "
        "file";
  }
  return error;
}

Result<PredictorHeader> read_predictor_header(std::string_view text, const std::string& origin) {
  const Result<Json> json = parse(text, origin);
  if (!json.ok()) return json.error();
  return header_of(json.value(), origin);
}

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
  if (p.power_law) {
    json.key("power_law");
    json.begin_object();
    json.field("counter_factor", p.power_law->counter_factor);
    json.field("base_w", p.power_law->base_w);
    json.field("cpu_w_per_percent", p.power_law->cpu_w_per_percent);
    json.field("samples", p.power_law->samples);
    json.end_object();
  }
  write_kinds(json, p);
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
  json.key("twins");
  json.begin_array();
  for (const Twin& twin : p.twins) {
    json.begin_object();
    json.field("type", twin.type);
    write_work(json, twin.work);
    json.field("energy_j", twin.energy_j);
    json.field("time_s", twin.time_s);
    json.field("samples", twin.samples);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

Result<Predictor> parse_predictor(std::string_view text, const std::string& origin) {
  const Result<Json> parsed = parse(text, origin);
  if (!parsed.ok()) return parsed.error();
  const Json& json = parsed.value();
  const Result<PredictorHeader> header = header_of(json, origin);
  if (!header.ok()) return header.error();
  if (header.value().kind != "reconciled") {
    return Error{ErrorCode::kInvalidInput,
                 origin + ": kind is \"" + header.value().kind +
                     "\": it predicts measured trees, not configs",
                 "use it with wattree annotate, or train one with --aggregate reconciled"};
  }
  Status failure;
  JsonFields fields(json, "", origin, failure);
  Predictor p;
  p.name = fields.text("name", true);
  p.hardware = fields.text("hardware", true);
  p.meter = fields.text("meter", true);
  p.boundary = fields.text("boundary", true);
  if (!parse_boundary(p.boundary)) {
    fields.complain("boundary", "is \"" + p.boundary + "\", not gpu, host, wall or facility");
  }
  p.dtypes = fields.texts("dtypes", true);
  const std::int64_t processors = count(fields, "processors", 1);
  if (processors > 100'000) fields.complain("processors", "is out of range");
  p.chip.processors = static_cast<int>(std::min<std::int64_t>(processors, 100'000));
  if (fields.has("prices")) read_device(fields, p);
  if (fields.has("power_law")) {
    JsonFields law = fields.inside("power_law");
    p.power_law = PowerLaw{number(law, "counter_factor"), number(law, "base_w"),
                           number(law, "cpu_w_per_percent"), count(law, "samples")};
  }
  read_kinds(fields, p);
  JsonFields intervals = fields.inside("intervals");
  for (std::size_t k = 0; k < kKnownCount; ++k) {
    const std::string name(name_of(static_cast<Known>(k)));
    if (!intervals.has(name)) continue;
    p.spreads[k] = read_spreads(intervals.inside(name));
  }
  if (intervals.has("fp32")) p.single_spread = read_spreads(intervals.inside("fp32"));
  JsonFields training = fields.inside("training");
  p.models = training.texts("models", true);
  p.trees = count(training, "trees");
  p.measurements = count(training, "measurements");
  JsonFields errors = training.inside("errors_percent");
  for (std::size_t k = 0; k < kKnownCount; ++k) {
    const std::string name(name_of(static_cast<Known>(k)));
    if (!errors.has(name)) continue;
    JsonFields known = errors.inside(name);
    p.errors[k] =
        Predictor::Errors{number(known, "ml"), number(known, "module"), number(known, "model")};
  }
  const Json* twins = fields.array("twins", true);
  for (std::size_t i = 0; failure.ok() && i < twins->size(); ++i) {
    JsonFields item = fields.below((*twins)[i], "twins", i);
    Twin twin;
    twin.type = item.text("type", true);
    twin.work = read_work(item);
    twin.energy_j = number(item, "energy_j");
    twin.time_s = number(item, "time_s");
    twin.samples = count(item, "samples");
    p.twins.push_back(std::move(twin));
  }
  if (!failure.ok()) return with_predictor_hint(failure.error());
  return p;
}

}  // namespace wattree
