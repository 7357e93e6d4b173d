#include "src/predict/predictor/overlay.h"

#include <nlohmann/json.hpp>

#include "src/base/json_fields.h"
#include "src/base/json_parse.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

constexpr std::string_view kHint =
    "write overlays with `wattree calibrate` and <quick>; docs/schemas/overlay.schema.json "
    "describes the file";

double factor(JsonFields& fields, std::string_view name) {
  return fields.number(name, kLeastFactor, kMostFactor, true).value_or(1);
}

Factor read_factor(JsonFields fields) {
  const Factor out{factor(fields, "energy"), factor(fields, "time")};
  fields.finish();
  return out;
}

void read_readings(JsonFields& fields, MachineOverlay& overlay) {
  const nlohmann::json* readings = fields.array("readings");
  for (std::size_t i = 0; readings != nullptr && i < readings->size(); ++i) {
    JsonFields item = fields.below((*readings)[i], "readings", i);
    const auto amount = [&](std::string_view name) {
      return item.number(name, 0, 1e12, true).value_or(0);
    };
    overlay.readings.push_back({item.text("what", true), amount("measured_j"),
                                amount("predicted_j"), amount("measured_s"),
                                amount("predicted_s")});
    item.finish();
  }
}

void write_factor(JsonWriter& json, std::string_view name, const Factor& factor) {
  json.key(name);
  json.begin_object();
  json.field("energy", factor.energy);
  json.field("time", factor.time);
  json.end_object();
}

void scale(Coefficients& prices, const KindFacts& kind, const MachineOverlay& overlay) {
  for (std::size_t t = 0; t < kind.terms.size(); ++t) {
    Factor factor;
    switch (kind.terms[t].bound) {
      case Bound::kLaunch: factor.energy = overlay.idle; break;
      case Bound::kArithmetic:
      case Bound::kClock: factor = overlay.compute; break;
      case Bound::kTraffic: factor = overlay.memory; break;
    }
    prices.energy[t] *= factor.energy;
    prices.time[t] *= factor.time;
  }
}

}  // namespace

bool is_overlay(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r\n{");
  const std::string quoted = "\"" + std::string(kOverlayFormat) + "\"";
  if (begin == std::string_view::npos || !text.substr(begin).starts_with("\"format\""))
    return false;
  return text.substr(begin, 64).find(quoted) != std::string_view::npos;
}

std::string to_json(const MachineOverlay& overlay) {
  JsonWriter json(1);
  json.begin_object();
  json.field("format", kOverlayFormat);
  json.field("version", kOverlayVersion);
  json.field("name", overlay.name);
  json.field("over", overlay.over);
  json.field("card", overlay.card);
  json.field("host", overlay.host);
  json.field("date", overlay.date);
  json.key("factors");
  json.begin_object();
  write_factor(json, "compute", overlay.compute);
  write_factor(json, "memory", overlay.memory);
  json.field("idle", overlay.idle);
  json.field("launch", overlay.launch);
  json.field("launch_swing", overlay.launch_swing);
  json.end_object();
  json.key("readings");
  json.begin_array();
  for (const MachineOverlay::Reading& reading : overlay.readings) {
    json.begin_object();
    json.field("what", reading.what);
    json.field("measured_j", reading.measured_j);
    json.field("predicted_j", reading.predicted_j);
    json.field("measured_s", reading.measured_s);
    json.field("predicted_s", reading.predicted_s);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return json.take() + "\n";
}

Result<MachineOverlay> parse_overlay(std::string_view text, const std::string& origin) {
  const auto with_hint = [](Error error) {
    if (error.hint.empty()) error.hint = kHint;
    return error;
  };
  const Result<nlohmann::json> json = parse_json(text, origin);
  if (!json.ok()) return with_hint(json.error());
  Status failure;
  JsonFields fields(json.value(), "", origin, failure);
  const std::string format = fields.text("format", true);
  if (format != kOverlayFormat) {
    fields.complain("format", "is \"" + format + "\", not \"" + std::string(kOverlayFormat) + "\"");
  }
  const std::int64_t version = fields.whole("version", 1, 1'000'000, true).value_or(1);
  if (failure.ok() && version > kOverlayVersion) {
    return Error{ErrorCode::kUnavailable,
                 origin + ": version " + std::to_string(version) +
                     " of the format; this wattree reads " + std::to_string(kOverlayVersion),
                 "update wattree, or calibrate again with this one"};
  }
  MachineOverlay out;
  out.name = fields.text("name", true);
  out.over = fields.text("over", true);
  out.card = fields.text("card", true);
  out.host = fields.text("host", true);
  out.date = fields.text("date", true);
  JsonFields factors = fields.inside("factors");
  out.compute = read_factor(factors.inside("compute"));
  out.memory = read_factor(factors.inside("memory"));
  out.idle = factor(factors, "idle");
  out.launch = factor(factors, "launch");
  out.launch_swing = factors.number("launch_swing", 0, kMostFactor).value_or(0);
  factors.finish();
  read_readings(fields, out);
  fields.finish();
  if (!failure.ok()) return with_hint(failure.error());
  return out;
}

Predictor with_overlay(Predictor predictor, const MachineOverlay& overlay) {
  for (std::size_t k = 0; k < kWorkKinds; ++k) {
    if (predictor.kinds[k]) {
      scale(*predictor.kinds[k], facts_of(static_cast<WorkKind>(k)), overlay);
    }
  }
  predictor.idle_w *= overlay.idle;
  predictor.anchor = {};  // It is of one card now, not of the middle one.
  if (predictor.eager) {
    EagerHost& host = *predictor.eager;
    host.per_kernel_s *= overlay.launch;
    host.per_call_s *= overlay.launch;
    host.per_module_s *= overlay.launch;
    host.native_kernel_s *= overlay.launch;
    host.spread = std::min(1.0, host.known_spread + overlay.launch_swing);
    host.waiting_w *= overlay.idle;
  }
  predictor.name = overlay.name;
  return predictor;
}

std::string origin_of(const MachineOverlay& overlay) {
  return overlay.over + ", calibrated " + overlay.date.substr(0, 10) + " to " + overlay.card +
         " with " + overlay.host;
}

}  // namespace wattree
