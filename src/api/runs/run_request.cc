#include "src/api/runs/run_request.h"

#include <nlohmann/json.hpp>

#include "src/api/runs/run_detail.h"
#include "src/base/error_field.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/runs/profile/find.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {
namespace {

constexpr std::int64_t kMostEpochs = 1'000'000;

ProfileNames names_of(const RunRef& run) {
  return run.may_be_file ? ProfileNames::kFilesAndIds : ProfileNames::kIds;
}

}  // namespace

std::filesystem::path profile_folder(const std::filesystem::path& asked, const Services& services) {
  return asked.empty() ? services.profiles : asked;
}

Result<Profile> load_profile(const RunRef& run, const Services& services) {
  // A run that goes on is known by its own id.
  if (services.live != nullptr && services.live->find(run.name).ok()) {
    return run_profile(run.name, services);
  }
  return load_profile(run.name, profile_folder(run.folder, services), names_of(run));
}

Result<Profile> load_run(const RunRef& run, const Services& services) {
  if (services.live != nullptr && services.live->find(run.name).ok()) {
    return run_profile(run.name, services);
  }
  return load_run(run.name, profile_folder(run.folder, services), names_of(run));
}

Result<std::vector<Device>> devices_with(const OwnDevices& own) {
  if (own.origin.empty()) return bundled_devices();
  Result<std::vector<Device>> devices = read_devices(own.csv, own.origin);
  if (!devices.ok()) return of_field("hardware_file", devices.error());
  return with_own_devices(std::move(devices).value(), own.origin);
}

RunRef read_run(JsonFields& fields, const char* name) {
  return {fields.text(name, true), {}, false};
}

SettingQuery read_setting(const nlohmann::json& json, JsonFields& fields,
                          const std::string& prefix) {
  SettingQuery out;
  out.region = fields.text(prefix + "region");
  out.intensity = fields.text(prefix + "intensity");
  const std::string series = prefix + "intensity_file";
  out.series = fields.text(series);
  if (fields.has(series)) out.series_origin = series;
  if (prefix.empty()) out.usd_per_kwh = fields.number("price", 0, 1e6);
  const std::string pue = prefix + "pue";
  if (json.is_object() && json.contains(pue) && json.at(pue).is_number()) {
    JsonWriter number;
    number.value(fields.number(pue, 1, 10).value_or(1));
    out.pue = number.take();
  } else {
    out.pue = fields.text(pue);
  }
  return out;
}

std::optional<std::size_t> read_epochs(JsonFields& fields) {
  const std::optional<std::int64_t> epochs = fields.whole("epochs", 1, kMostEpochs);
  if (!epochs) return std::nullopt;
  return static_cast<std::size_t>(*epochs);
}

OwnDevices read_own_devices(JsonFields& fields) {
  OwnDevices out{fields.text("hardware_file"), ""};
  if (fields.has("hardware_file")) out.origin = "hardware_file";
  return out;
}

MassUnit read_unit(JsonFields& fields) {
  const std::string name = fields.text("unit");
  if (name.empty()) return MassUnit::kAuto;
  const std::optional<MassUnit> unit = parse_mass_unit(name);
  if (!unit) fields.complain("unit", "must be g, kg or lb");
  return unit.value_or(MassUnit::kAuto);
}

}  // namespace wattree
