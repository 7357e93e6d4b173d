#include "src/predict/predictor_file.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "src/base/provenance.h"

namespace wattree {
namespace {

using Json = nlohmann::json;

constexpr std::string_view kLevels[3] = {"ml", "module", "model"};
constexpr std::size_t kMaxFile = std::size_t{64} << 20;
constexpr int kMaxDepth = 16;
constexpr double kLeastRate = 1e-9;

// Reads fields of a JSON object; keeps the first thing that is wrong, and gives zeros after it.
class Fields {
 public:
  Fields(const Json& json, std::string path, Failure& failure)
      : json_(json), path_(std::move(path)), failure_(failure) {
    if (!json_.is_object()) fail("", "must be an object");
  }

  bool has(const char* name) const {
    return json_.is_object() && json_.contains(name) && !json_.at(name).is_null();
  }
  const Json& at(const char* name) {
    static const Json kNull;
    if (!has(name)) {
      fail(name, "is missing");
      return kNull;
    }
    return json_.at(name);
  }
  // Of this size at least; every number of a predictor is a size, a count, a price or a width.
  double number(const char* name, double least = 0) {
    const Json& value = at(name);
    if (!value.is_number()) {
      fail(name, "must be a number");
      return least;
    }
    const double x = value.get<double>();
    if (!std::isfinite(x) || x < least || x > 1e18) {
      fail(name, "is " + value.dump() + ", which makes no sense");
      return least;
    }
    return x;
  }
  std::int64_t count(const char* name, std::int64_t least = 0) {
    return static_cast<std::int64_t>(number(name, static_cast<double>(least)));
  }
  std::string text(const char* name) {
    const Json& value = at(name);
    if (value.is_string()) return value.get<std::string>();
    fail(name, "must be text");
    return {};
  }
  std::vector<std::string> texts(const char* name) {
    std::vector<std::string> out;
    const Json& value = at(name);
    if (!value.is_array()) {
      fail(name, "must be an array");
      return out;
    }
    for (const Json& item : value) {
      if (!item.is_string()) {
        fail(name, "must hold only text");
        return out;
      }
      out.push_back(item.get<std::string>());
    }
    return out;
  }
  Fields object(const char* name) { return {at(name), path_ + name + ".", failure_}; }
  void fail(const std::string& name, const std::string& what) {
    if (failure_) return;
    failure_ = Error{ErrorCode::kInvalidInput, path_ + name + " " + what,
                     "write predictors with wattree train; docs/schemas/predictor.schema.json "
                     "describes the file"};
  }
  const std::string& path() const { return path_; }

 private:
  const Json& json_;
  std::string path_;
  Failure& failure_;
};

Result<Json> parse(std::string_view text, const std::string& origin) {
  if (text.size() > kMaxFile) {
    return Error{ErrorCode::kInvalidInput, origin + ": too large for a predictor (64 MiB at most)",
                 ""};
  }
  bool is_too_deep = false;
  Json json = Json::parse(
      text,
      [&](int depth, Json::parse_event_t, Json&) {
        is_too_deep = is_too_deep || depth > kMaxDepth;
        return depth <= kMaxDepth;
      },
      false);
  if (json.is_discarded() || is_too_deep || !json.is_object()) {
    return Error{ErrorCode::kInvalidInput, origin + ": not a JSON object",
                 "a predictor file, as wattree train writes it, is expected"};
  }
  return json;
}

Result<PredictorHeader> header_of(const Json& json, const std::string& origin) {
  Failure failure;
  Fields fields(json, origin + ": ", failure);
  const std::string format = fields.text("format");
  if (!failure && format != kPredictorFormat) {
    fields.fail("format", "is \"" + format + "\", not \"" + std::string(kPredictorFormat) + "\"");
  }
  const std::int64_t version = fields.count("version", 1);
  if (!failure && version > kPredictorVersion) {
    return Error{ErrorCode::kUnavailable,
                 origin + ": version " + std::to_string(version) +
                     " of the format; this wattree reads " + std::to_string(kPredictorVersion) +
                     " and older",
                 "update wattree, or train the predictor again with this one"};
  }
  PredictorHeader header{fields.text("kind")};
  if (failure) return *failure;
  return header;
}

void write_spread(JsonWriter& json, const std::array<double, 3>& levels, double twin) {
  json.begin_object();
  for (std::size_t l = 0; l < 3; ++l) json.field(kLevels[l], levels[l]);
  json.field("twin", twin);
  json.end_object();
}

void read_spread(Fields fields, std::array<double, 3>& levels, double& twin) {
  levels = {fields.number("ml"), fields.number("module"), fields.number("model")};
  twin = fields.number("twin");
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

Work read_work(Fields& fields) {
  Work work;
  const std::string kind = fields.text("kind");
  if (const auto known = parse_work_kind(kind)) {
    work.kind = *known;
  } else {
    fields.fail("kind", "is \"" + kind + "\", which is no kind of kernel");
  }
  work.groups = fields.number("groups");
  work.m = fields.number("m");
  work.n = fields.number("n");
  work.k = fields.number("k");
  work.width = fields.number("width");
  work.weight_width = fields.number("weight_width");
  work.bytes = fields.number("bytes");
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

void read_kinds(const Json& kinds, const std::string& path, Failure& failure, Predictor& p) {
  Fields all(kinds, path, failure);
  if (failure) return;
  for (const auto& [name, value] : kinds.items()) {
    Fields fields(value, path + name + ".", failure);
    const auto kind = parse_work_kind(name);
    if (!kind) {
      fields.fail("", "is no kind of kernel");
      return;
    }
    Coefficients c;
    c.samples = fields.count("samples");
    if (fields.has("energy_spread")) {
      c.energy_spread = fields.number("energy_spread");
      c.time_spread = fields.number("time_spread");
    }
    const auto facts = terms_of(*kind);
    const Json& terms = fields.at("terms");
    if (!terms.is_array() || terms.size() != facts.size()) {
      fields.fail("terms", "must be an array of " + std::to_string(facts.size()));
      return;
    }
    for (std::size_t t = 0; t < facts.size(); ++t) {
      Fields term(terms[t], fields.path() + "terms[" + std::to_string(t) + "].", failure);
      if (term.text("name") != facts[t].name) {
        term.fail("name", "must be \"" + std::string(facts[t].name) + "\"");
      }
      c.energy[t] = term.number("energy_j");
      c.time[t] = term.number("time_s");
      if (term.has("least") || term.has("most")) {
        c.least[t] = term.number("least");
        c.most[t] = term.number("most", c.least[t]);
      }
    }
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

void read_device(Fields& fields, Predictor& p) {
  const std::string prices = fields.text("prices");
  if (prices != "kernels") fields.fail("prices", "is \"" + prices + "\", not \"kernels\"");
  p.is_by_kernel = true;
  Fields chip = fields.object("chip");
  p.chip.cache_mib = chip.number("cache_mib");
  p.chip.half_gflop_per_us = chip.number("half_gflop_per_us", kLeastRate);
  p.chip.single_gflop_per_us = chip.number("single_gflop_per_us", kLeastRate);
  p.chip.mib_per_us = chip.number("mib_per_us", kLeastRate);
  p.idle_w = fields.number("idle_w");
  if (fields.has("power_cap")) {
    Fields cap = fields.object("power_cap");
    p.power_cap = PowerCap{cap.number("limit_w"), cap.number("exponent"), cap.count("samples")};
    if (p.power_cap->exponent > 1) cap.fail("exponent", "is above 1");
  }
  if (fields.has("eager")) {
    Fields eager = fields.object("eager");
    p.eager = EagerHost{eager.number("per_kernel_s"), eager.number("per_module_s"),
                        eager.number("waiting_w"), eager.count("samples")};
  }
}

void write_spreads(JsonWriter& json, const Spread& spread) {
  json.begin_object();
  json.key("energy");
  write_spread(json, spread.energy, spread.twin_energy);
  json.key("time");
  write_spread(json, spread.time, spread.twin_time);
  json.end_object();
}

Spread read_spreads(Fields fields) {
  Spread spread;
  read_spread(fields.object("energy"), spread.energy, spread.twin_energy);
  read_spread(fields.object("time"), spread.time, spread.twin_time);
  return spread;
}

}  // namespace

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
  json.key("dtypes");
  json.begin_array();
  for (const std::string& dtype : p.dtypes) json.value(dtype);
  json.end_array();
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
  json.key("models");
  json.begin_array();
  for (const std::string& model : p.models) json.value(model);
  json.end_array();
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
  Failure failure;
  Fields fields(json, origin + ": ", failure);
  Predictor p;
  p.name = fields.text("name");
  p.hardware = fields.text("hardware");
  p.meter = fields.text("meter");
  p.boundary = fields.text("boundary");
  if (!failure && !parse_boundary(p.boundary)) {
    fields.fail("boundary", "is \"" + p.boundary + "\", not gpu, host, wall or facility");
  }
  p.dtypes = fields.texts("dtypes");
  const std::int64_t processors = fields.count("processors", 1);
  if (processors > 100'000) fields.fail("processors", "is out of range");
  p.chip.processors = static_cast<int>(std::min<std::int64_t>(processors, 100'000));
  if (fields.has("prices")) read_device(fields, p);
  if (fields.has("power_law")) {
    Fields law = fields.object("power_law");
    p.power_law = PowerLaw{law.number("counter_factor"), law.number("base_w"),
                           law.number("cpu_w_per_percent"), law.count("samples")};
  }
  read_kinds(fields.at("kinds"), origin + ": kinds.", failure, p);
  Fields intervals = fields.object("intervals");
  for (std::size_t k = 0; k < kKnownCount; ++k) {
    const std::string name(name_of(static_cast<Known>(k)));
    if (!intervals.has(name.c_str())) continue;
    p.spreads[k] = read_spreads(intervals.object(name.c_str()));
  }
  if (intervals.has("fp32")) p.single_spread = read_spreads(intervals.object("fp32"));
  Fields training = fields.object("training");
  p.models = training.texts("models");
  p.trees = training.count("trees");
  p.measurements = training.count("measurements");
  Fields errors = training.object("errors_percent");
  for (std::size_t k = 0; k < kKnownCount; ++k) {
    const std::string name(name_of(static_cast<Known>(k)));
    if (!errors.has(name.c_str())) continue;
    Fields known = errors.object(name.c_str());
    p.errors[k] =
        Predictor::Errors{known.number("ml"), known.number("module"), known.number("model")};
  }
  const Json& twins = fields.at("twins");
  if (!twins.is_array()) fields.fail("twins", "must be an array");
  for (std::size_t i = 0; !failure && i < twins.size(); ++i) {
    Fields item(twins[i], origin + ": twins[" + std::to_string(i) + "].", failure);
    Twin twin;
    twin.type = item.text("type");
    twin.work = read_work(item);
    twin.energy_j = item.number("energy_j");
    twin.time_s = item.number("time_s");
    twin.samples = item.count("samples");
    p.twins.push_back(std::move(twin));
  }
  if (failure) return *failure;
  return p;
}

}  // namespace wattree
