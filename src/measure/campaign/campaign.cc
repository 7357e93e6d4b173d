#include "src/measure/campaign/campaign.h"

#include <algorithm>
#include <utility>

#include "src/base/file.h"
#include "src/measure/campaign/jobs.h"
#include "src/measure/meter/proc.h"
#include "src/measure/windows/read_windows.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

// The GPU that nodes run on first: its meters are those that count.
void put_first(Meters& meters, const std::string& uuid) {
  if (uuid.empty()) return;
  std::stable_partition(meters.begin(), meters.end(), [&](const std::unique_ptr<Meter>& meter) {
    return meter->description().device.find(uuid) != std::string::npos;
  });
}

Found meters_of(const Rig& rig) {
  Found found = find_meters(rig.meters());
  append(found, find_process_meters(rig.meters().proc_root, rig.process()));
  put_first(found.meters, rig.device().uuid);
  return found;
}

WatchOptions watch_options(const MeterQuery& meters) {
  WatchOptions out;
  out.cpus = std::max(1U, count_cpus(meters.proc_root));
  out.ram_bytes = ram_bytes(meters.proc_root);
  return out;
}

// What the file has already; nothing where there is none.
Result<Figures> earlier_figures(const fs::path& windows, const std::string& device) {
  const Result<bool> is_there = file_exists(windows);
  if (!is_there.ok()) return is_there.error();
  if (!is_there.value()) return Figures{};
  Result<std::vector<MeasuredSession>> read = read_windows(windows);
  if (!read.ok()) return read.error();
  return figures_of(std::move(read).value(), device);
}

}  // namespace

Rig::Rig(MeterQuery meters, int process, GpuProcesses others, std::unique_ptr<Executor> executor)
    : meters_(std::move(meters)),
      process_(process),
      others_(std::move(others)),
      executor_(std::move(executor)) {}

Result<Rig> Rig::open(const MeterQuery& meters, int process, const OpenExecutor& open) {
  GpuProcesses others(meters, process);  // Who is there before the executor is.
  Result<std::unique_ptr<Executor>> opened = open();
  if (!opened.ok()) return opened.error();
  Rig rig(meters, process, std::move(others), std::move(opened).value());
  rig.others_.watch(rig.device().uuid);
  return rig;
}

Status check_windows_file(const fs::path& path, bool is_resumed) {
  const Result<bool> is_there = file_exists(path);
  if (!is_there.ok()) return is_there.error();
  std::error_code unknown;
  if (!is_resumed && fs::is_regular_file(path, unknown) && !fs::is_empty(path, unknown)) {
    return Error{ErrorCode::kInvalidInput, "there is a file " + path.string() + " already",
                 "go on with it: <resume>, or choose another name", "resume"};
  }
  return {};
}

Result<SessionOptions> session_options(const std::string& protocol, double node_limit_s) {
  SessionOptions out;
  if (protocol == "irene") {
    out.whole = out.node = node_limit_s > 0 ? irene_settings(node_limit_s) : irene_settings();
    out.with_pauses = false;
  } else if (!protocol.empty() && protocol != "wattree") {
    return Error{ErrorCode::kInvalidInput, "protocol \"" + protocol + "\" is not known",
                 "choose wattree or irene", "protocol"};
  }
  if (node_limit_s > 0) out.whole.limit_s = out.node.limit_s = node_limit_s;
  return out;
}

Result<Campaign> run_campaign(std::vector<Job> jobs, Rig& rig, CampaignOptions options) {
  if (const Status failure = check_windows_file(options.windows, options.is_resumed); !failure.ok())
    return failure.error();
  Campaign out;
  if (options.is_resumed) {
    Result<Figures> earlier = earlier_figures(options.windows, rig.device().name);
    if (!earlier.ok()) return earlier.error();
    out.figures = std::move(earlier).value();
    for (const Job& job : jobs) out.reused += out.figures.count(job.key());
  }
  Found found = meters_of(rig);
  const Clock clock = boot_clock();
  Watch watch(std::move(found.meters), rig.is_gpu() ? Component::kGpu : Component::kCpu,
              watch_options(rig.meters()), clock);
  if (!watch.has_energy()) out.obstacles = std::move(found.obstacles);
  if (!watch.has_energy() && options.needs_energy) {
    return Error{ErrorCode::kUnavailable, "nothing here measures energy, so nothing can be fitted",
                 "wattree meters shows what stands in the way"};
  }
  Result<AppendFile> file = AppendFile::open(options.windows);
  if (!file.ok()) return file.error();
  AppendFile records = std::move(file).value();
  if (const Status failure = watch.start(); !failure.ok()) return failure.error();

  SessionOptions& session = options.session;
  session.roots = {rig.meters().proc_root, rig.meters().sys_root};
  session.other_processes = [&rig] { return rig.other_processes(); };
  std::optional<BuiltModel> anchor;
  if (rig.is_gpu() && options.with_anchor) {
    Result<BuiltModel> tree = anchor_tree();
    if (!tree.ok()) return tree.error();
    anchor = std::move(tree).value();
    session.anchor.tree = &anchor->tree;
  }
  Result<SessionResult> result =
      run_session(std::move(jobs), rig.executor(), watch, real_conduct(clock, options.is_stopped),
                  session, records, out.figures, options.show);
  watch.stop();
  if (!result.ok()) return result.error();
  out.session = std::move(result).value();
  return out;
}

}  // namespace wattree
