#include "src/api/measure/measure_request.h"

#include <unistd.h>

#include "src/api/model/open_executor.h"
#include "src/base/amounts.h"

namespace wattree {
namespace {

constexpr double kMostSeconds = 1e9;
constexpr double kMostWatts = 1e9;
constexpr std::int64_t kMostSeed = std::int64_t{1} << 53;

Seconds duration_of(JsonFields& fields, std::string_view name) {
  const std::string text = fields.text(name);
  if (text.empty()) return {};
  const Result<Seconds> parsed = parse_duration(text);
  if (parsed.ok()) return parsed.value();
  fields.complain(name, "must be a duration such as 90s or 10min");
  return {};
}

}  // namespace

MeasureRequest read_measure_request(JsonFields& fields) {
  MeasureRequest out;
  out.device = fields.text("device");
  out.torch_plugin = fields.text("torch_plugin");
  out.budget = duration_of(fields, "budget");
  out.cache = fields.text("cache");
  out.execution = fields.text("execution");
  out.protocol = fields.text("protocol");
  out.node_limit = Seconds(fields.number("node_limit", 0, kMostSeconds).value_or(0));
  if (const auto watts = fields.number("standby", 0, kMostWatts)) out.standby = Watts(*watts);
  out.seed = fields.whole("seed", 0, kMostSeed).value_or(out.seed);
  out.allow_load = fields.flag("allow_load");
  out.no_anchor = fields.flag("no_anchor");
  out.no_pauses = fields.flag("no_pauses");
  return out;
}

Result<CampaignOptions> campaign_options(const MeasureRequest& request, const WindowsFile& windows,
                                         const Services& services, const MeasureHost& host) {
  Result<SessionOptions> session = session_options(request.protocol, request.node_limit.value);
  if (!session.ok()) return session.error();
  const auto execution = parse_execution(request.execution.empty() ? "graph" : request.execution);
  if (!execution) {
    return Error{ErrorCode::kInvalidInput, "execution \"" + request.execution + "\" is not known",
                 "choose graph or eager", "execution"};
  }
  if (const Status failure = check_windows_file(windows.path, windows.is_resumed); !failure.ok())
    return failure.error();
  CampaignOptions out;
  out.windows = windows.path;
  out.is_resumed = windows.is_resumed;
  out.with_anchor = !request.no_anchor;
  out.session = std::move(session).value();
  if (host.settings) out.session.whole = out.session.node = *host.settings;
  out.session.allow_graph = *execution == Execution::kGraph;
  out.session.budget_s = request.budget.value;
  if (request.standby) out.session.standby_w = request.standby->value;
  out.session.allow_load = request.allow_load;
  out.session.with_pauses = out.session.with_pauses && !request.no_pauses;
  out.session.seed = static_cast<std::uint64_t>(request.seed);
  out.session.seconds_since_1970 = services.seconds_since_1970;
  out.is_stopped = host.is_stopped;
  out.show = host.show;
  return out;
}

Result<Rig> open_rig(const MeasureRequest& request, const Services& services,
                     const MeasureHost& host) {
  const OpenExecutor of_plugin = [&] {
    return open_executor({request.device, request.torch_plugin, host.program});
  };
  return Rig::open(services.meters, ::getpid(),
                   host.open_executor ? host.open_executor : of_plugin);
}

std::filesystem::path windows_beside(const std::filesystem::path& dataset) {
  std::filesystem::path out = dataset;
  const std::string stem = dataset.stem().string();
  if (stem.ends_with(".windows") && stem.size() > 8) return out;
  out.replace_filename(stem + ".windows.jsonl");
  return out;
}

}  // namespace wattree
