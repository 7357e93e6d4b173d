// The track use case: from what a user types to a run that is tracked.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/base/result.h"
#include "src/measure/meter/find.h"
#include "src/runs/track/job.h"
#include "src/runs/track/location.h"
#include "src/runs/track/tracker.h"
#include "src/runs/whatif/setting.h"

namespace wattree {

// As the user writes it; empty means not given.
struct TrackQuery {
  std::string name;
  std::vector<std::string> command;
  std::optional<int> follow;  // The id of a process.
  std::string region, intensity, pue;
  std::vector<std::string> assumptions;  // "cpu=65W"
  std::optional<std::int64_t> epochs;
  std::string epoch_regex;
  bool regex_begins = false;
  std::string warn_above, stop_above;  // "2kWh"
  std::string period, idle, grace = "10s";
  std::filesystem::path journal_folder;

  // The surroundings.
  MeterQuery meters;
  Environment environment;
  std::vector<std::string> whole_environment;  // For the command.
  std::vector<std::filesystem::path> settings_files;
  std::filesystem::path instance_data = "/run/cloud-init/instance-data.json";
  long parent_process = 0;
};

struct TrackPlan {
  TrackOptions options;
  Setting setting;
  std::vector<std::string> notes;        // What the user should know before it begins.
  std::unique_ptr<DeviceClaims> claims;  // To be kept until the run has ended.
};

// Errors are in what the user wrote; what this machine cannot do becomes a note.
Result<TrackPlan> plan_track(TrackQuery query);

// "100ms", "5s", "2min", "1h"
Result<Seconds> parse_duration(std::string_view text);

// $XDG_STATE_HOME/wattree/journals, or below ~/.local/state.
std::filesystem::path default_journal_folder(const Environment& environment);

}  // namespace wattree
