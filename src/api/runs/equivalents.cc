#include "src/api/runs/equivalents.h"

#include <nlohmann/json.hpp>

#include "src/api/runs/run_request.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

constexpr double kMost = 1e24;

// Things that emit are compared with emissions, things that take electricity with energy.
std::optional<double> times_of(const EquivalentsRequest& of, const Equivalent& equivalent) {
  const bool is_known = equivalent.energy_kwh ? of.energy.has_value() : of.carbon.has_value();
  if (!is_known) return std::nullopt;
  return times(of.carbon.value_or(GramsCo2e(0)), of.energy.value_or(Joules(0)), equivalent);
}

}  // namespace

Result<EquivalentsRequest> equivalents_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  EquivalentsRequest out;
  if (const auto grams = fields.number("carbon_gco2e", 0, kMost)) out.carbon = GramsCo2e(*grams);
  if (const auto joules = fields.number("energy_j", 0, kMost)) out.energy = Joules(*joules);
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

EquivalentsAnswer equivalents(const EquivalentsRequest& request) {
  return {request, bundled_equivalents()};
}

std::string to_json(const EquivalentsAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  if (answer.of.carbon) out.field("carbon_gco2e", answer.of.carbon->value);
  if (answer.of.energy) out.field("energy_j", answer.of.energy->value);
  out.key("equivalents");
  out.begin_array();
  for (const Equivalent& equivalent : answer.equivalents) {
    out.begin_object();
    out.field("item", equivalent.item);
    if (!equivalent.unit.empty()) out.field("unit", equivalent.unit);
    if (const auto count = times_of(answer.of, equivalent)) out.field("times", *count);
    if (const auto tons = equivalent.co2e_short_tons) out.field("co2e_short_tons", *tons);
    if (const auto mass = equivalent.co2e_kg) out.field("co2e_kg", *mass);
    if (const auto kwh = equivalent.energy_kwh) out.field("energy_kwh", *kwh);
    out.field("year", std::int64_t{equivalent.year});
    out.field("source", equivalent.source);
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
