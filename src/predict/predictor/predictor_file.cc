#include "src/predict/predictor/predictor_file.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/base/provenance.h"
#include "src/predict/predictor/survey.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

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

void read_spread(JsonFields fields, std::array<double, 3>& levels, double& twin,
                 double& of_kernels) {
  levels = {number(fields, "ml"), number(fields, "module"), number(fields, "model")};
  twin = number(fields, "twin");
  if (fields.has("model_of_kernels")) of_kernels = number(fields, "model_of_kernels");
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

void read_terms(JsonFields& fields, WorkKind kind, Coefficients& c) {
  const auto facts = terms_of(kind);
  const Json* terms = fields.array("terms", true);
  // Older files may lack the last ones, which are then free.
  if (terms == nullptr || terms->empty() || terms->size() > facts.size()) {
    return fields.complain("terms", "must be an array of up to " + std::to_string(facts.size()));
  }
  for (std::size_t t = 0; t < terms->size(); ++t) {
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
void read_device(JsonFields& fields, Predictor& p) {
  const std::string prices = fields.text("prices", true);
  if (prices != "kernels") fields.complain("prices", "is \"" + prices + "\", not \"kernels\"");
  p.is_by_kernel = true;
  JsonFields chip = fields.inside("chip");
  p.chip.cache_mib = number(chip, "cache_mib");
  p.chip.half_gflop_per_us = number(chip, "half_gflop_per_us", kLeastRate);
  p.chip.single_gflop_per_us = number(chip, "single_gflop_per_us", kLeastRate);
  p.chip.mib_per_us = number(chip, "mib_per_us", kLeastRate);
  if (chip.has("peak")) {
    JsonFields peak = chip.inside("peak");
    p.chip.peak = {number(peak, "half_gflop_per_us"), number(peak, "single_gflop_per_us"),
                   number(peak, "mib_per_us"), number(peak, "cache_mib")};
  }
  if (chip.has("survey")) p.chip.survey = read_survey(chip.inside("survey"), p.chip);
  p.idle_w = number(fields, "idle_w");
  if (fields.has("anchor")) {
    JsonFields anchor = fields.inside("anchor");
    p.anchor = {Joules(number(anchor, "energy_j", kLeastRate)), anchor.text("protocol", true)};
  }
  if (fields.has("power_cap")) {
    JsonFields cap = fields.inside("power_cap");
    p.power_cap = PowerCap{number(cap, "limit_w"), number(cap, "exponent"), count(cap, "samples")};
    if (p.power_cap->exponent > 1) cap.complain("exponent", "is above 1");
  }
  if (fields.has("eager")) {
    JsonFields eager = fields.inside("eager");
    EagerHost host;
    host.per_kernel_s = number(eager, "per_kernel_s");
    host.per_module_s = number(eager, "per_module_s");
    host.waiting_w = number(eager, "waiting_w");
    host.samples = count(eager, "samples");
    // Older files say nothing of these.
    const auto optional = [&](std::string_view name, double& value) {
      if (eager.has(name)) value = number(eager, name);
    };
    optional("per_call_s", host.per_call_s);
    optional("native_kernel_s", host.native_kernel_s);
    optional("spread", host.spread);
    optional("known_spread", host.known_spread);
    p.eager = host;
  }
}

Spread read_spreads(JsonFields fields) {
  Spread spread;
  read_spread(fields.inside("energy"), spread.energy, spread.twin_energy, spread.energy_of_kernels);
  read_spread(fields.inside("time"), spread.time, spread.twin_time, spread.time_of_kernels);
  return spread;
}

void read_intervals(JsonFields intervals, Predictor& p) {
  for (std::size_t k = 0; k < kKnownCount; ++k) {
    const std::string name(name_of(static_cast<Known>(k)));
    if (!intervals.has(name)) continue;
    p.spreads[k] = read_spreads(intervals.inside(name));
  }
  if (intervals.has("fp32")) p.single_spread = read_spreads(intervals.inside("fp32"));
}

void read_training(JsonFields training, Predictor& p) {
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
}

void read_twins(JsonFields& fields, const Status& failure, Predictor& p) {
  const Json* twins = fields.array("twins", true);
  for (std::size_t i = 0; failure.ok() && i < twins->size(); ++i) {
    JsonFields item = fields.below((*twins)[i], "twins", i);
    Twin twin;
    twin.type = item.text("type", true);
    twin.work = read_work(item);
    twin.energy.value = number(item, "energy_j");
    twin.time.value = number(item, "time_s");
    twin.samples = count(item, "samples");
    p.twins.push_back(std::move(twin));
  }
}

}  // namespace

Error with_predictor_hint(Error error) {
  if (error.hint.empty()) {
    error.hint =
        "write predictors with wattree train, and those of an earlier wattree anew; "
        "docs/schemas/predictor.schema.json describes the file";
  }
  return error;
}

Result<PredictorHeader> read_predictor_header(std::string_view text, const std::string& origin) {
  const Result<Json> json = parse(text, origin);
  if (!json.ok()) return json.error();
  return header_of(json.value(), origin);
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
                 "use it with wattree annotate, or train one with <aggregate> reconciled"};
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
  read_intervals(fields.inside("intervals"), p);
  read_training(fields.inside("training"), p);
  if (failure.ok()) read_twins(fields, failure, p);
  if (!failure.ok()) return with_predictor_hint(failure.error());
  return p;
}

}  // namespace wattree
