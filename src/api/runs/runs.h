// The runs use cases: what runs and ran on this machine, and pausing it.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "src/api/services/services.h"
#include "src/base/result.h"
#include "src/runs/live/live_runs.h"

namespace wattree {

struct RunsRequest {
  std::vector<RunState> status;  // One of these; empty: any.
  std::string words;             // All in the name, id, host, job, hardware, region or command.
  std::string sort = "-begun";   // begun, name, energy, carbon, elapsed or power; "-": downwards.
  std::size_t points = 60;       // Of each power trace.
  std::size_t offset = 0, limit = 200;
};
// {"status"? (a text or several), "q"?, "sort"?, "points"?, "offset"?, "limit"?}
Result<RunsRequest> runs_request(const nlohmann::json& json);

struct ListedRun {
  std::string id;
  std::string profile;  // Id of its profile, where it has one among the profiles.
  std::string link;     // Id of the link that it came by; empty: it is of this machine.
  RunBrief brief;
};

// Of the runs that fit the request, on this page or not.
struct RunSums {
  std::size_t runs = 0, live = 0;
  std::optional<Watts> power;  // Of those that are live now.
  std::optional<Joules> energy;
  std::optional<GramsCo2e> emissions;
  std::size_t without_emissions = 0;  // Runs with energy, and no region.
  Provenance basis;                   // Of the energy.
};

struct RunsAnswer {
  std::vector<ListedRun> runs;
  RunSums sums;
  RunSums today;  // Those of them that began since midnight, UTC, or go on.
  std::string headline;
};
Result<RunsAnswer> runs(const RunsRequest& request, const Services& services);
// The contract of docs/schemas/runs.schema.json.
std::string to_json(const RunsAnswer& answer);

struct PauseRequest {
  std::string id;
  bool is_paused = true;
};
struct PauseAnswer {
  std::string id;
  RunState state = RunState::kLive;
};
Result<PauseAnswer> pause_run(const PauseRequest& request, const Services& services);
// {"id", "status"}: docs/schemas/run_pause.schema.json.
std::string to_json(const PauseAnswer& answer);

// Who follows the runs. An error where nobody does: the command line has no need to.
Result<LiveRuns*> live_runs(const Services& services);
// The fields that a run has in a list, of an open object.
void write_listed(JsonWriter& out, const ListedRun& run);
ListedRun listed(const LiveRun& run, std::size_t points, const Services& services);

}  // namespace wattree
