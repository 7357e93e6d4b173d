// What profiling a model and calibrating ask of a measurement.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "src/api/services/services.h"
#include "src/base/json_fields.h"
#include "src/base/units.h"
#include "src/measure/campaign/campaign.h"

namespace wattree {

// As a user writes it; what is empty or 0 is the default.
struct MeasureRequest {
  std::string device;        // "cpu", "cuda", "cuda:1"
  std::string torch_plugin;  // What runs nodes; empty: looked for.
  Seconds budget;            // 0: as long as it takes.
  std::string cache;         // "in_place,cold": of nodes; the first is what counts.
  std::string execution;     // "graph" or "eager"
  std::string protocol;      // "wattree" or "irene"
  Seconds node_limit;
  std::optional<Watts> standby;
  std::int64_t seed = 1;
  bool allow_load = false;
  bool no_anchor = false;
  bool no_pauses = false;
};
// The fields of a request's JSON: device, torch_plugin, budget ("10min"), cache, execution,
// protocol, node_limit (seconds), standby (watts), seed, allow_load, no_anchor, no_pauses.
MeasureRequest read_measure_request(JsonFields& fields);

// What requests to measure end with: those fields, "output" and "resume". Last, because what nobody
// has asked for is wrong.
template <class Request>
Result<Request> with_measurement(Request request, JsonFields& fields, const Status& failure) {
  request.measure = read_measure_request(fields);
  request.output = fields.text("output", true);
  request.resume = fields.flag("resume");
  fields.finish();
  if (!failure.ok()) return failure.error();
  return request;
}

// How the process takes part in work of minutes.
struct MeasureHost {
  std::filesystem::path program;  // Whose folder the plugin may lie in.
  std::function<bool()> is_stopped = [] { return false; };
  std::function<void(const SessionProgress&)> show = [](const SessionProgress&) {};
  // Tests have their own.
  OpenExecutor open_executor = {};         // Empty: of the plugin.
  std::optional<WindowSettings> settings;  // Other aims than the protocol's.
};

// A file of windows, and whether it is gone on with.
struct WindowsFile {
  std::filesystem::path path;
  bool is_resumed = false;
};

// What is wrong with the request is said before anything is opened.
Result<CampaignOptions> campaign_options(const MeasureRequest& request, const WindowsFile& windows,
                                         const Services& services, const MeasureHost& host);
Result<Rig> open_rig(const MeasureRequest& request, const Services& services,
                     const MeasureHost& host);

// "data.jsonl" -> "data.windows.jsonl"
std::filesystem::path windows_beside(const std::filesystem::path& dataset);

}  // namespace wattree
