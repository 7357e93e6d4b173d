// What a list shows of a run, whether it goes on or has ended long ago.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "src/base/utc_time.h"
#include "src/runs/live/power_trace.h"
#include "src/runs/track/status.h"

namespace wattree {

class JsonFields;
class JsonWriter;

struct RunBrief {
  RunStatus status;
  UtcTime begun;
  std::string host, job;  // Empty where they are not known; the same for the texts below.
  std::string command;
  std::string hardware;  // "4 × NVIDIA H200, 2 × EPYC 7742"
  std::string region;
  std::optional<double> pue;
  std::optional<double> gco2e_per_kwh;
  std::optional<Joules> warn_above, stop_above;  // Budgets, PUE included.
  std::optional<Watts> idle_power, power_limit;  // Of the devices; of the GPUs.
  std::vector<TracePoint> trace;
};

// What it costs does not grow with the run.
RunBrief brief_of(const TrackedRun& run, const PowerTrace& trace, std::size_t points);
// Where the run takes place, as it says itself.
Setting setting_of(const RunBegun& begun);

// The fields of an open object, and back: docs/schemas/runs.schema.json.
void write_brief(JsonWriter& out, const RunBrief& brief);
RunBrief read_brief(JsonFields& fields);

}  // namespace wattree
