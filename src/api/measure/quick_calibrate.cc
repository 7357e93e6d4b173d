#include "src/api/measure/quick_calibrate.h"

#include <algorithm>
#include <chrono>

#include "src/base/utc_time.h"
#include "src/measure/campaign/jobs.h"
#include "src/measure/python/python_passes.h"
#include "src/predict/fit/quick_calibration.h"

namespace wattree {
namespace {

namespace fs = std::filesystem;

// A card that warms up moves by more than a campaign puts up with, and a minute is no campaign.
constexpr double kAnchorTolerance = 0.03;

Error nothing_measured(const std::string& what, const Campaign& campaign) {
  std::string why = campaign.session.ending == Ending::kInterrupted ? "interrupted" : "";
  if (!campaign.session.skipped.empty()) why = campaign.session.skipped.front().why;
  return {ErrorCode::kUnavailable, what + " was not measured" + (why.empty() ? "" : ": " + why),
          "try again with the machine for itself; `wattree meters` shows what can be measured"};
}

// The figures of the one job.
Result<QuickReading> reading_of(const std::string& what, const Job& job, const Campaign& campaign) {
  // At the power limit, with rest in between, is how it runs within a pass.
  for (const bool is_paused : {true, false}) {
    const auto found = campaign.figures.find(window_key(job.node.key, job.cache, is_paused));
    if (found != campaign.figures.end() && found->second.energy) {
      return QuickReading{*found->second.energy, found->second.time};
    }
  }
  return nothing_measured(what, campaign);
}

Result<Job> job_of(const ModelTree& tree, const PassFacts& pass, std::int32_t node) {
  const DistinctNodes distinct = distinct_nodes(tree);
  for (Job& job : jobs_of(tree, distinct, pass, {CacheState::kInPlace})) {
    const auto& nodes = tree.nodes();
    const Node& first = nodes[static_cast<std::size_t>(job.node.node)];
    const Node& wanted = nodes[static_cast<std::size_t>(node)];
    if (job.node.node == node || (first.op == wanted.op && first.shape == wanted.shape &&
                                  first.bytes == wanted.bytes && first.op != Op::kNone)) {
      return std::move(job);
    }
  }
  return Error{ErrorCode::kInternal, "the tree has no such node", ""};
}

// The pass and its largest modules, several times: each says what launching a kernel takes at that
// moment.
std::vector<Job> launched_jobs(const BuiltModel& pass) {
  constexpr std::int64_t kMany = 100;  // Kernels, so that their kinds are those of the pass.
  constexpr int kRounds = 5;
  const std::vector<Job> all =
      jobs_of(pass.tree, distinct_nodes(pass.tree), pass_facts(pass), {CacheState::kInPlace});
  std::vector<Job> out;
  for (int round = 1; round <= kRounds; ++round) {
    for (const Job& job : all) {
      if (job.node.kernels < kMany) continue;
      out.push_back(job);
      out.back().node.key += "/" + std::to_string(round);  // Nothing is measured twice by one key.
    }
  }
  return out;
}

std::vector<Seconds> launch_times(const std::vector<Job>& jobs, const Campaign& campaign) {
  std::vector<Seconds> out;
  for (const Job& job : jobs) {
    const Result<QuickReading> reading = reading_of("launching", job, campaign);
    if (!reading.ok()) continue;
    out.emplace_back(reading.value().time.value / static_cast<double>(job.node.kernels));
  }
  return out;
}

class QuickRun {
 public:
  QuickRun(const QuickCalibrateRequest& request, const Services& services, const MeasureHost& host,
           fs::path windows)
      : request_(request), services_(services), host_(host), windows_(std::move(windows)) {}

  // One session; the first begins the file.
  Result<Campaign> run(Rig& rig, const std::vector<Job>& jobs, const std::string& execution,
                       bool with_anchor) {
    MeasureRequest measure = request_.measure;
    measure.execution = execution;
    measure.no_anchor = !with_anchor;
    Result<CampaignOptions> options =
        campaign_options(measure, {windows_, has_begun_}, services_, host_);
    if (!options.ok()) return options.error();
    CampaignOptions campaign = std::move(options).value();
    campaign.needs_energy = true;
    campaign.session.anchor.tolerance = kAnchorTolerance;
    has_begun_ = true;
    return run_campaign(jobs, rig, std::move(campaign));
  }

 private:
  const QuickCalibrateRequest& request_;
  const Services& services_;
  const MeasureHost& host_;
  fs::path windows_;
  bool has_begun_ = false;
};

// Passes that were launched one by one, at several moments.
struct LaunchReadings {
  std::vector<PythonPass> python;  // Empty: not timed, and `warning` says why; then there are
  std::vector<Seconds> own;        // kernels that this program launched.
  std::string warning;
  Seconds duration;
};

Result<LaunchReadings> read_launches(const QuickCalibrateRequest& request, const MeasureHost& host,
                                     Rig& rig, QuickRun& run) {
  constexpr double kUsuallyS = 25;  // Loading PyTorch takes most of it.
  const auto begin = std::chrono::steady_clock::now();
  const auto duration = [&] {
    return Seconds(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  };
  const auto is_stopped = [&] {
    const double done_s = std::min(duration().value, kUsuallyS);
    host.show({static_cast<std::size_t>(done_s), static_cast<std::size_t>(kUsuallyS),
               kUsuallyS - done_s, "launches from Python"});
    return host.is_stopped();
  };
  PythonOptions options;
  if (!request.python.empty()) options.program = request.python;
  if (!request.measure.device.empty()) options.device = request.measure.device;
  Result<std::vector<PythonPass>> timed = time_python_passes(options, is_stopped);
  if (timed.ok()) return LaunchReadings{std::move(timed).value(), {}, "", duration()};
  if (host.is_stopped()) return timed.error();
  const Result<BuiltModel> pass = launched_tree();
  if (!pass.ok()) return pass.error();
  const std::vector<Job> jobs = launched_jobs(pass.value());
  const Result<Campaign> campaign = run.run(rig, jobs, "eager", false);
  if (!campaign.ok()) return campaign.error();
  return LaunchReadings{{},
                        launch_times(jobs, campaign.value()),
                        "no pass was launched from Python (" + timed.error().message +
                            "): this program's own launches stand in for its",
                        duration()};
}

// As long as `launches` lives.
std::vector<QuickReadings::Launched> launched_passes(const LaunchReadings& launches) {
  std::vector<QuickReadings::Launched> out;
  for (const PythonPass& each : launches.python) {
    const Pass& pass = each.pass.pass;
    out.push_back({each.pass.model + ", " + std::to_string(pass.batch) + " × " +
                       std::to_string(pass.seq) + ", from Python",
                   &each.pass.tree, each.times});
  }
  return out;
}

Result<fs::path> output_of(const QuickCalibrateRequest& request, const Services& services) {
  if (!request.output.empty()) return request.output;
  if (services.predictors.empty()) {
    return Error{ErrorCode::kUnavailable, "there is no folder for predictors of your own",
                 "name a file with <output>", "output"};
  }
  std::error_code failed;
  fs::create_directories(services.predictors, failed);
  if (failed) {
    return Error{ErrorCode::kPermission,
                 services.predictors.string() + " cannot be made: " + failed.message(),
                 "name a file with <output>", "output"};
  }
  const std::string name = request.on.empty() ? std::string(kThisMachine) : request.on;
  return services.predictors / (name + ".json");
}

std::string host_of(const MachineFacts& machine) {
  const std::string cpus = std::to_string(machine.cpus) + " CPUs";
  return machine.processor.empty() ? cpus : machine.processor + ", " + cpus;
}

std::string date_of(const Services& services) {
  return to_string(UtcTime(std::chrono::seconds(services.seconds_since_1970())));
}

// What is known before anything is measured.
struct QuickPlan {
  std::string over;
  LoadedPredictor below;
  StreamKernel stream;
  BuiltModel anchor;
};

Result<QuickPlan> plan_for(const QuickCalibrateRequest& request, const Rig& rig) {
  if (!rig.is_gpu()) {
    return Error{ErrorCode::kUnavailable, "a quick calibration is one of a GPU",
                 "calibrate a processor without <quick>", "quick"};
  }
  const Result<std::string> over =
      request.over.empty() ? predictor_for(rig.device().name) : Result<std::string>(request.over);
  if (!over.ok()) return over.error();
  Result<LoadedPredictor> below = load_predictor({{}, over.value(), {}});
  if (!below.ok()) return below.error();
  Result<StreamKernel> stream = stream_kernel();
  if (!stream.ok()) return stream.error();
  Result<BuiltModel> anchor = anchor_tree();
  if (!anchor.ok()) return anchor.error();
  return QuickPlan{over.value(), std::move(below).value(), std::move(stream).value(),
                   std::move(anchor).value()};
}

// What was measured of the card.
struct CardReadings {
  QuickReading anchor;
  QuickReading stream;
  SessionResult session;
};

Result<CardReadings> read_card(const QuickPlan& plan, Rig& rig, QuickRun& run) {
  PassFacts facts;
  facts.dtype = "bf16";
  const Result<Job> add = job_of(plan.stream.tree, facts, plan.stream.node);
  if (!add.ok()) return add.error();
  const Result<Campaign> campaign = run.run(rig, {add.value()}, "graph", true);
  if (!campaign.ok()) return campaign.error();
  const SessionResult& session = campaign.value().session;
  const Result<QuickReading> stream = reading_of("the stream", add.value(), campaign.value());
  if (!stream.ok()) return stream.error();
  if (!session.anchor_energy || !session.anchor_time)
    return nothing_measured("the anchor", campaign.value());
  return CardReadings{{*session.anchor_energy, *session.anchor_time}, stream.value(), session};
}

}  // namespace

Result<QuickCalibrateAnswer> quick_calibrate(const QuickCalibrateRequest& request,
                                             const Services& services, const MeasureHost& host) {
  const Result<fs::path> output = output_of(request, services);
  if (!output.ok()) return output.error();
  Result<Rig> opened = open_rig(request.measure, services, host);
  if (!opened.ok()) return opened.error();
  Rig rig = std::move(opened).value();
  const Result<QuickPlan> plan = plan_for(request, rig);
  if (!plan.ok()) return plan.error();

  const fs::path windows = windows_beside(output.value());
  std::error_code ignored;
  fs::remove(windows, ignored);
  QuickRun run(request, services, host, windows);
  const Result<CardReadings> card = read_card(plan.value(), rig, run);
  if (!card.ok()) return card.error();
  const Result<LaunchReadings> launches = read_launches(request, host, rig, run);
  if (!launches.ok()) return launches.error();
  const SessionResult& session = card.value().session;
  const QuickReadings readings{card.value().anchor, card.value().stream,
                               launched_passes(launches.value()), launches.value().own,
                               session.idle.power};
  Result<QuickFactors> factors = quick_factors(*plan.value().below.predictor, plan.value().anchor,
                                               plan.value().stream, readings);
  if (!factors.ok()) return factors.error();

  QuickFactors found = std::move(factors).value();
  QuickCalibrateAnswer answer;
  answer.output = output.value();
  answer.overlay = std::move(found.overlay);
  answer.warnings = std::move(found.warnings);
  if (!launches.value().warning.empty()) answer.warnings.push_back(launches.value().warning);
  answer.overlay.name = request.on.empty() ? std::string(kThisMachine) : request.on;
  answer.overlay.over = plan.value().over;
  answer.overlay.card = rig.device().name;
  answer.overlay.host = host_of(session.machine);
  answer.overlay.date = date_of(services);
  answer.duration = session.duration + launches.value().duration;
  answer.json = to_json(answer.overlay);
  return answer;
}

}  // namespace wattree
