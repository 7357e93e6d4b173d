// The track use case: from what a user writes to a run that is tracked, and to its profile.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/error_text.h"
#include "src/base/result.h"
#include "src/runs/track/job.h"
#include "src/runs/track/tracker.h"
#include "src/runs/whatif/setting.h"

namespace wattree {

// As the user writes it; empty means not given.
struct TrackRequest {
  std::string name;
  std::vector<std::string> command;
  std::vector<std::string> environment;  // Of the command: "NAME=value".
  std::optional<int> pid;                // Of a process to follow instead.
  std::string region, intensity, pue;
  std::string precision;            // "bf16"; what `whatif` compares other hardware by.
  std::optional<double> price;      // USD per kWh.
  std::vector<std::string> assume;  // "cpu=65W"
  std::optional<std::int64_t> epochs;
  std::string epoch_regex;
  bool regex_begins = false;           // A line that matches stands at an epoch's beginning.
  std::string warn_above, stop_above;  // "2kWh"
  std::string period, idle, grace = "10s";
  std::filesystem::path output;   // Of the profile; empty: among the profiles.
  std::filesystem::path folder;   // Of profiles; empty: the services'.
  std::filesystem::path journal;  // Folder of the journal, which is then kept.
  std::filesystem::path instance_data = "/run/cloud-init/instance-data.json";
};

struct TrackPlan {
  TrackOptions options;
  Setting setting;
  std::vector<std::string> notes;        // What the user should know before it begins,
  std::vector<std::string> warnings;     // even one who wants no notes.
  std::unique_ptr<DeviceClaims> claims;  // To be kept until the run has ended.
  std::filesystem::path output, folder;  // Where the profile will be: the file, or else the folder.
  std::filesystem::path runs;            // The run is listed here; empty: nowhere.
  bool keeps_journal = false;
};

// Errors are in what the user wrote; what this machine cannot do becomes a note.
Result<TrackPlan> plan_track(const TrackRequest& request, const Services& services);

// Texts of the plan that mention fields of the request, in the words of the shell: some of them end
// up in the profile.
void name_fields(TrackPlan& plan, const FieldName& name);

struct TrackAnswer {
  TrackOutcome outcome;
  std::filesystem::path profile;  // Where it is; empty where nothing was started, or with
  std::string problem;            // why it could not be written, and how to get it all the same.
};

// Runs it to its end and writes the profile. An error only where nothing was started.
Result<TrackAnswer> run_track(TrackPlan plan, TrackControl& control, const TrackObserver& observer);

}  // namespace wattree
