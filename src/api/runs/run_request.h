// What requests about runs have in common, and how it is read from JSON.
#pragma once

#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/amounts.h"
#include "src/base/result.h"
#include "src/facts/hardware/device.h"
#include "src/runs/profile/profile.h"
#include "src/runs/whatif/setting.h"

namespace wattree {

class JsonFields;

// The run that a request is about.
struct RunRef {
  std::string name;              // A profile's id, or its file where files may be read.
  std::filesystem::path folder;  // Of profiles by id; empty: the services'.
  // Whoever asks may read this machine's files: on the command line, but not over a network.
  bool may_be_file = false;
};
Result<Profile> load_profile(const RunRef& run, const Services& services);
// Whether whoever asks may have so many epochs laid over or extrapolated: each takes some
// kilobytes.
Status check_epochs(const Profile& run, std::optional<std::size_t> epochs,
                    const Services& services);
// An energy ("2.5kWh") is a run too.
Result<Profile> load_run(const RunRef& run, const Services& services);
// The same; of a run that goes on, as it is at this moment (Profile::so_far), which is not to be
// kept.
Result<Profile> load_profile_so_far(const RunRef& run, const Services& services);
Result<Profile> load_run_so_far(const RunRef& run, const Services& services);

// The folder that was asked for, or else the services'.
std::filesystem::path profile_folder(const std::filesystem::path& asked, const Services& services);

// Devices beside those of the table: the text of a CSV file, and its name for errors. Empty: none.
struct OwnDevices {
  std::string csv;
  std::string origin;
};
Result<std::vector<Device>> devices_with(const OwnDevices& own);

// The parts of a request in JSON. Runs are named by id alone.
RunRef read_run(JsonFields& fields, const char* name);
// "region", "intensity", "intensity_file" (the text of a CSV file) and "pue" (a number, or a text
// such as "average"), each with `prefix` before it ("baseline_"); and "price" (USD per kWh) without
// one.
SettingQuery read_setting(const nlohmann::json& json, JsonFields& fields,
                          const std::string& prefix = "");
std::optional<std::size_t> read_epochs(JsonFields& fields);
OwnDevices read_own_devices(JsonFields& fields);  // "hardware_file": the text of one
MassUnit read_unit(JsonFields& fields);           // "unit": g, kg or lb
// A text or an array of texts; absent where the field is.
std::optional<std::vector<std::string>> read_tags(const nlohmann::json& json, JsonFields& fields,
                                                  const char* name);

// How requests are named in errors about their JSON.
inline constexpr char kInRequest[] = "request";

}  // namespace wattree
