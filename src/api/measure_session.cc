#include "src/api/measure_session.h"

#include <algorithm>
#include <set>

#include "src/base/file.h"
#include "src/base/text.h"
#include "src/measure/meter/nvml.h"
#include "src/measure/meter/proc.h"
#include "src/measure/windows/read_windows.h"
#include "src/models/hub/bundled.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kAnchorModel = "bert-base-uncased";

Error bad(std::string message, std::string hint = "") {
  return {ErrorCode::kInvalidInput, std::move(message), std::move(hint)};
}

// Processes on the GPU that are not ours. In a container NVML may know us by another id: then the
// first one that was not there before the executor was opened is ours.
class GpuProcesses {
 public:
  GpuProcesses(const MeterQuery& query, int process) {
    ours_.insert(static_cast<std::uint32_t>(process));
    Result<std::shared_ptr<const NvmlLibrary>> library = NvmlLibrary::open(query.nvml_library);
    if (!library.ok()) return;
    library_ = std::move(library).value();
    for (const Gpu& gpu : list_gpus(*library_).gpus) before_.merge(ids(gpu));
  }
  // `uuid` is that of the GPU to watch; the first one where it is not known.
  void watch(const std::string& uuid) {
    if (!library_) return;
    for (Gpu& gpu : list_gpus(*library_).gpus) {
      if (!gpu_ || (!uuid.empty() && gpu.uuid.find(uuid) != std::string::npos)) {
        gpu_ = std::move(gpu);
      }
    }
  }
  int others() {
    if (!library_ || !gpu_) return 0;
    int count = 0;
    bool are_we_seen = ours_.size() > 1;
    const std::set<std::uint32_t> now = ids(*gpu_);
    for (const std::uint32_t id : now) are_we_seen = are_we_seen || ours_.count(id) > 0;
    for (const std::uint32_t id : now) {
      if (ours_.count(id) > 0) continue;
      if (!are_we_seen && before_.count(id) == 0) {
        ours_.insert(id);
        are_we_seen = true;
        continue;
      }
      ++count;
    }
    return count;
  }

 private:
  std::set<std::uint32_t> ids(const Gpu& gpu) const {
    std::set<std::uint32_t> out;
    const auto list = list_gpu_processes(*library_, gpu);
    if (!list.ok()) return out;
    for (const GpuProcess& process : list.value()) out.insert(process.process);
    return out;
  }

  std::shared_ptr<const NvmlLibrary> library_;
  std::optional<Gpu> gpu_;
  std::set<std::uint32_t> before_, ours_;
};

// The GPU that nodes run on first: its meters are those that count.
void put_first(Meters& meters, const std::string& uuid) {
  if (uuid.empty()) return;
  std::stable_partition(meters.begin(), meters.end(), [&](const std::unique_ptr<Meter>& meter) {
    return meter->description().device.find(uuid) != std::string::npos;
  });
}

Result<SessionOptions> options_of(const MeasureQuery& query) {
  SessionOptions out;
  if (query.protocol == "irene") {
    out.whole = out.node =
        query.node_limit_s > 0 ? irene_settings(query.node_limit_s) : irene_settings();
    out.with_pauses = false;
  } else if (!query.protocol.empty() && query.protocol != "wattree") {
    return bad("protocol \"" + query.protocol + "\" is not known", "choose wattree or irene");
  }
  if (query.settings) out.whole = out.node = *query.settings;
  out.standby_w = query.standby_w;
  if (!query.execution.empty() && query.execution != "graph" && query.execution != "eager") {
    return bad("execution \"" + query.execution + "\" is not known", "choose graph or eager");
  }
  out.allow_graph = query.execution != "eager";
  if (query.node_limit_s > 0) out.whole.limit_s = out.node.limit_s = query.node_limit_s;
  out.budget_s = query.budget_s;
  out.allow_load = query.allow_load;
  out.with_pauses = out.with_pauses && !query.without_pauses;
  out.seed = static_cast<std::uint64_t>(query.seed);
  out.roots = {query.meters.proc_root, query.meters.sys_root};
  out.seconds_since_1970 = query.seconds_since_1970;
  return out;
}

}  // namespace

Result<BuiltModel> anchor_tree() {
  PassShape query;
  query.batch = 16;
  query.seq = 128;
  query.dtype = "bf16";
  query.keeps_dataflow = true;
  const BundledModel* model = find_bundled(kAnchorModel);
  if (model == nullptr) {
    return Error{ErrorCode::kInternal, "the anchor's model is not bundled", ""};
  }
  return build_model(std::string(model->name), std::string(model->json), "bundled", query);
}

PassFacts pass_facts(const BuiltModel& tree) {
  const Pass& pass = tree.pass;
  PassFacts out;
  out.model = tree.model;
  out.family = tree.model_type;
  out.dtype = name_of(pass.precision);
  out.attention = name_of(pass.attention);
  out.batch = pass.batch;
  out.seq = pass.seq;
  out.past = pass.past;
  if (tree.is_encoder_decoder) {
    if (pass.past > 0) out.source_len = pass.source;
    if (pass.past == 0 && pass.target_len != pass.seq) out.target_len = pass.target_len;
  }
  out.overrides = tree.overrides;
  return out;
}

Result<std::vector<CacheState>> parse_caches(const std::string& list) {
  std::vector<CacheState> out;
  for (const std::string& name : split(list.empty() ? "in_place" : list, ',')) {
    const auto cache = parse_cache(name);
    if (!cache || *cache == CacheState::kNatural) {
      return bad("cache \"" + name + "\" is not known", "choose of in_place, cold and warm");
    }
    out.push_back(*cache);
  }
  return out;
}

std::vector<Job> jobs_of(const ModelTree& tree, const DistinctNodes& distinct,
                         const PassFacts& pass, const std::vector<CacheState>& caches) {
  std::vector<Job> out;
  for (const DistinctNode& node : distinct.nodes) {
    const Node& first = tree.nodes()[static_cast<std::size_t>(node.node)];
    Job job{&tree, node, CacheState::kNatural, pass, 0};
    // What it is likely to take: an H100 does some 100 FLOP in the time of a byte.
    job.weight = static_cast<double>(node.count) *
                 (static_cast<double>(first.bytes) + static_cast<double>(first.flops) / 100.0);
    if (first.level == Level::kModel) {
      out.push_back(job);
      continue;
    }
    for (const CacheState cache : caches) {
      job.cache = cache;
      out.push_back(job);
    }
  }
  return out;
}

Result<MeasuredJobs> measure_jobs(std::vector<Job> jobs, const MeasureQuery& query) {
  Result<SessionOptions> parsed = options_of(query);
  if (!parsed.ok()) return parsed.error();
  SessionOptions options = std::move(parsed).value();
  const Result<bool> has_windows = file_exists(query.windows);
  if (!has_windows.ok()) return has_windows.error();
  std::error_code unknown;
  if (!query.is_resumed && fs::is_regular_file(query.windows, unknown) &&
      !fs::is_empty(query.windows, unknown)) {
    return bad("there is a file " + query.windows.string() + " already",
               "go on with it: --resume, or choose another name");
  }
  GpuProcesses processes(query.meters, query.process);
  Result<std::unique_ptr<Executor>> opened = query.open_executor();
  if (!opened.ok()) return opened.error();
  Executor& executor = *opened.value();
  const DeviceFacts& device = executor.device();
  const bool is_gpu = device.kind != "cpu";
  processes.watch(device.uuid);
  options.model = query.model;
  options.other_processes = [&] { return is_gpu ? processes.others() : 0; };

  MeasuredJobs out;
  if (query.is_resumed && has_windows.value()) {
    Result<std::vector<MeasuredSession>> read = read_windows(query.windows);
    if (!read.ok()) return read.error();
    Result<Figures> earlier = figures_of(std::move(read).value(), device.name);
    if (!earlier.ok()) return earlier.error();
    out.figures = std::move(earlier).value();
    for (const Job& job : jobs) out.reused += out.figures.count(job.key());
  }
  Found found = find_meters(query.meters);
  append(found, find_process_meters(query.meters.proc_root, query.process));
  put_first(found.meters, device.uuid);
  const Component component = is_gpu ? Component::kGpu : Component::kCpu;
  WatchOptions watching;
  watching.cpus = std::max(1U, count_cpus(query.meters.proc_root));
  watching.ram_bytes = ram_bytes(query.meters.proc_root);
  const Clock clock = boot_clock();
  Watch watch(std::move(found.meters), component, watching, clock);
  if (!watch.has_energy()) out.obstacles = std::move(found.obstacles);
  if (!watch.has_energy() && query.needs_energy) {
    return Error{ErrorCode::kUnavailable, "nothing here measures energy, so nothing can be fitted",
                 "wattree meters shows what stands in the way"};
  }
  Result<AppendFile> file = AppendFile::open(query.windows);
  if (!file.ok()) return file.error();
  AppendFile records = std::move(file).value();
  watch.start();

  std::optional<BuiltModel> anchor;
  if (is_gpu && !query.without_anchor) {
    Result<BuiltModel> tree = anchor_tree();
    if (!tree.ok()) return tree.error();
    anchor = std::move(tree).value();
    options.anchor.tree = &anchor->tree;
  }
  Result<SessionResult> session =
      run_session(std::move(jobs), executor, watch, real_conduct(clock, query.is_stopped), options,
                  records, out.figures, query.show);
  watch.stop();
  if (!session.ok()) return session.error();
  out.session = std::move(session).value();
  return out;
}

}  // namespace wattree
