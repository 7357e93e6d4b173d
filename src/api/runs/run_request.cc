#include "src/api/runs/run_request.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "src/api/runs/open_profiles.h"
#include "src/api/runs/run_detail.h"
#include "src/base/error_field.h"
#include "src/base/in_quotes.h"
#include "src/base/json_fields.h"
#include "src/base/json_writer.h"
#include "src/base/text.h"
#include "src/runs/profile/read.h"
#include "src/runs/whatif/footprint.h"

namespace wattree {
namespace {

constexpr std::int64_t kMostEpochs = 1'000'000;
constexpr std::size_t kMostOfStrangers = 10'000;

// For the user who asked for a profile that is not there.
Error no_profile(const RunRef& run, ProfileStore& store) {
  std::vector<std::string> ids;
  if (const Result<ProfilePage> page = store.list({}); page.ok()) {
    for (const ProfileSummary& profile : page.value().profiles) ids.push_back(profile.id);
  }
  const std::vector<std::string_view> views(ids.begin(), ids.end());
  const std::vector<std::string> close = nearest(run.name, views);
  return {ErrorCode::kNotFound, "there is no profile " + in_quotes(run.name),
          !close.empty()    ? "did you mean " + join(close, ", or ") + "?"
          : run.may_be_file ? "give a file, or an id of `wattree profiles list`"
                            : "`wattree profiles list` shows those there are",
          "profile"};
}

Result<Profile> load_kept(const RunRef& run, const Services& services) {
  // A run has the name of its script, which mostly lies in the working folder: a file that is no
  // profile hides none that is kept.
  Status no_profile_file;
  std::error_code ignored;
  if (run.may_be_file && std::filesystem::exists(run.name, ignored)) {
    Result<ReadProfile> read = read_profile_file(run.name);
    if (read.ok()) return std::move(read).value().profile;
    no_profile_file = of_file("profile", read.error());
  }
  const Result<std::shared_ptr<ProfileStore>> store =
      open_profiles(run.folder, services, StoreAccess::kRead);
  if (!store.ok()) return no_profile_file.ok() ? store.error() : no_profile_file.error();
  Result<KeptProfile> found = store.value()->find(run.name);
  if (found.ok()) return std::move(found).value().profile;
  if (!no_profile_file.ok()) return no_profile_file.error();
  if (found.error().code == ErrorCode::kNotFound) return no_profile(run, *store.value());
  return of_field("profile", found.error());
}

using Loader = Result<Profile> (*)(const RunRef&, const Services&);

// An energy, or what the loader finds.
Result<Profile> load_or_energy(const RunRef& run, const Services& services, Loader load) {
  const Result<Joules> energy = parse_energy(run.name);
  if (energy.ok()) return profile_of_energy(energy.value(), run.name);
  Result<Profile> profile = load(run, services);
  const bool is_number = run.name.find_first_of("-+0123456789") == 0;
  if (profile.ok()) return profile;
  if (profile.error().code != ErrorCode::kNotFound || !is_number) {
    return renamed_field("profile", "run", profile.error());
  }
  return Error{ErrorCode::kInvalidInput,
               in_quotes(run.name) + " is neither an energy nor a profile", energy.error().hint,
               "run"};
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
  return load_kept(run, services);
}

Result<Profile> load_profile_so_far(const RunRef& run, const Services& services) {
  if (services.live != nullptr && services.live->find(run.name).ok()) {
    return run_profile_so_far(run.name, services);
  }
  return load_kept(run, services);
}

Status check_epochs(const Profile& run, std::optional<std::size_t> epochs,
                    const Services& services) {
  const std::size_t wanted = std::max(run.epochs.size(), epochs.value_or(0));
  if (services.shows_private || wanted <= kMostOfStrangers) return {};
  return Error{ErrorCode::kInvalidInput,
               std::to_string(wanted) + " epochs: callers without a token may ask for " +
                   std::to_string(kMostOfStrangers),
               "ask for fewer, or send Authorization: Bearer TOKEN", "epochs"};
}

Result<Profile> load_run(const RunRef& run, const Services& services) {
  return load_or_energy(run, services, load_profile);
}

Result<Profile> load_run_so_far(const RunRef& run, const Services& services) {
  return load_or_energy(run, services, load_profile_so_far);
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

std::optional<std::vector<std::string>> read_tags(const nlohmann::json& json, JsonFields& fields,
                                                  const char* name) {
  if (!fields.has(name)) return std::nullopt;
  if (json.at(name).is_string()) return std::vector<std::string>{fields.text(name)};
  return fields.texts(name);
}

}  // namespace wattree
