#include "src/api/runs/whatif.h"

#include "src/api/runs/footprint.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"

namespace wattree {
namespace {

void write_fleet(JsonWriter& out, std::string_view name, const Fleet& fleet) {
  out.key(name);
  out.begin_array();
  for (const DeviceCount& entry : fleet) {
    out.begin_object();
    out.field("name", entry.device.name);
    out.field("count", std::int64_t{entry.count});
    out.end_object();
  }
  out.end_array();
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
  out.query.epochs = read_epochs(fields);
  out.own_devices = read_own_devices(fields);
  fields.finish();
  if (!failure.ok()) return failure.error();
  return out;
}

Result<WhatIfAnswer> what_if(const WhatIfRequest& request, const Services& services) {
  const Result<std::vector<Device>> devices = devices_with(request.own_devices);
  if (!devices.ok()) return devices.error();
  const Result<Profile> profile = load_profile(request.profile, services);
  if (!profile.ok()) return profile.error();
  return answer_what_if(profile.value(), request.query, devices.value());
}

std::string to_json(const WhatIfAnswer& answer) {
  JsonWriter out(2);
  out.begin_object();
  out.field("keep", name_of(answer.keep));
  for (const bool is_baseline : {true, false}) {
    out.key(is_baseline ? "baseline" : "alternative");
    out.begin_object();
    write_footprint(out, is_baseline ? answer.baseline : answer.alternative);
    out.end_object();
  }
  out.key("hardware_changes");
  out.begin_array();
  for (const HardwareChange& change : answer.changes) {
    out.begin_object();
    write_fleet(out, "from", change.from);
    write_fleet(out, "to", change.to);
    out.field("energy_per_work", change.energy_per_work);
    out.field("time_per_work", change.time_per_work);
    out.field("energy_factor", change.energy_factor(answer.keep));
    out.end_object();
  }
  out.end_array();
  out.end_object();
  return out.take() + "\n";
}

}  // namespace wattree
