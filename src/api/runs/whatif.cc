#include "src/api/runs/whatif.h"

#include "src/base/error_field.h"
#include "src/base/json_fields.h"

namespace wattree {
namespace {

constexpr std::int64_t kMostOfCurve = 20'000;

Result<OtherRun> other_run(const WhatIfRequest& request, const Profile& baseline,
                           const Services& services) {
  if (request.predicted) {
    return predicted_run(*request.predicted, baseline, request.query.epochs, services);
  }
  Result<Profile> profile = load_run_so_far(*request.other, services);
  if (!profile.ok()) return renamed_field("run", "other", profile.error());
  return OtherRun{std::move(profile).value()};
}

}  // namespace

std::optional<Keep> parse_keep(std::string_view name) {
  if (name == "work") return Keep::kWork;
  if (name == "hours") return Keep::kHours;
  return std::nullopt;
}

std::string_view name_of(Keep keep) { return keep == Keep::kWork ? "work" : "hours"; }

Result<WhatIfRequest> what_if_request(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  WhatIfRequest out;
  out.profile = read_run(fields, "profile");
  out.query.alternative = read_setting(json, fields);
  out.query.hardware = fields.text("hardware");
  out.query.baseline = read_setting(json, fields, "baseline_");
  out.query.baseline_hardware = fields.text("baseline_hardware");
  if (const std::string keep = fields.text("keep"); !keep.empty()) {
    const std::optional<Keep> known = parse_keep(keep);
    if (!known) fields.complain("keep", "must be work or hours");
    out.query.keep = known.value_or(Keep::kWork);
  }
  if (const std::string formula = fields.text("formula"); !formula.empty()) {
    const std::optional<HardwareFormula> known = parse_hardware_formula(formula);
    if (!known) fields.complain("formula", "must be precision or energyvis");
    out.query.rule.formula = known.value_or(HardwareFormula::kPrecision);
  }
  if (const std::string precision = fields.text("precision"); !precision.empty()) {
    out.query.rule.units = parse_compute_units(precision);
    if (!out.query.rule.units) fields.complain("precision", "must be fp32, tf32, bf16 or fp16");
  }
  out.query.epochs = read_epochs(fields);
  out.own_devices = read_own_devices(fields);
  if (fields.has("other")) out.other = read_run(fields, "other");
  out.predicted = read_predicted_run(fields);
  if (out.other && out.predicted) {
    fields.complain("other", "and \"other_model\" exclude each other");
  }
  out.query.in_every_region = fields.flag("regions");
  // The form's, which what_if_form() reads.
  for (const char* name : {"equations", "equivalents", "over_time"}) fields.flag(name);
  fields.whole("points", 4, kMostOfCurve);
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<WhatIfForm> what_if_form(const nlohmann::json& json) {
  Status failure;
  JsonFields fields(json, "", kInRequest, failure);
  WhatIfForm out;
  if (const auto points = fields.whole("points", 4, kMostOfCurve)) {
    out.points = static_cast<std::size_t>(*points);
  }
  out.has_equations = !fields.has("equations") || fields.flag("equations");
  out.has_over_time = fields.flag("over_time");
  out.has_equivalents = !fields.has("equivalents") || fields.flag("equivalents");
  if (!failure.ok()) return failure.error();
  return out;
}

Result<WhatIfAnswer> what_if(const WhatIfRequest& request, const Services& services) {
  const Result<std::vector<Device>> devices = devices_with(request.own_devices);
  if (!devices.ok()) return devices.error();
  const Result<Profile> profile = load_profile_so_far(request.profile, services);
  if (!profile.ok()) return profile.error();
  if (Status over = check_epochs(profile.value(), request.query.epochs, services); !over.ok()) {
    return over.error();
  }
  if (!request.other && !request.predicted) {
    return answer_what_if(profile.value(), request.query, devices.value());
  }
  const Result<OtherRun> other = other_run(request, profile.value(), services);
  if (!other.ok()) return other.error();
  if (Status over = check_epochs(other.value().profile, {}, services); !over.ok()) {
    return over.error();
  }
  return answer_what_if(profile.value(), request.query, devices.value(), &other.value());
}

}  // namespace wattree
