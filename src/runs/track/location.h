// Where this machine is, as far as files and settings here say. Nothing is ever asked over a
// network.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "src/base/result.h"
#include "src/runs/track/job.h"

namespace wattree {

// Who names a place.
enum class PlaceSource { kNowhere, kRequest, kEnvironment, kSettings, kCloudInit };

struct Place {
  std::string region;  // As in the table of regions; empty where it is not known.
  PlaceSource from = PlaceSource::kNowhere;
  std::string said_by;  // Of those that are found: "WATTREE_REGION", "/etc/wattree/config", …
};

// A setting of the user's or the administrator's: files of "name = value" lines; '#' begins a
// comment. Known names: region, pue.
struct Settings {
  std::string region, pue;
  std::string origin;                 // The file; empty where there is none.
  std::vector<std::string> warnings;  // Of lines that are no settings; the others hold.
};
Settings parse_settings(std::string_view text, const std::string& origin);
// The first of the files that exists.
Result<Settings> read_settings(const std::vector<std::filesystem::path>& files);
// $XDG_CONFIG_HOME/wattree/config, or below ~/.config; then /etc/wattree/config.
std::vector<std::filesystem::path> settings_files(const Environment& environment);

// In the order: what was asked for, WATTREE_REGION, the settings, and what cloud-init has written
// down about the machine it runs on (`instance_data`, usually /run/cloud-init/instance-data.json).
// An AWS_REGION in the environment says where requests go and not where the machine is: it is not
// asked.
Place find_place(const std::string& asked, const Environment& environment, const Settings& settings,
                 const std::filesystem::path& instance_data);

// The region in cloud-init's file: "aws:us-east-2"; empty where the file names no cloud we know.
std::string cloud_region(std::string_view instance_data);

}  // namespace wattree
